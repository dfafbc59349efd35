import { beforeEach, expect, test } from 'vitest'
import { getNotificationText } from '../../../shared/workspace/notifications.ts'
import { type CouponShop, createCouponShop } from '../../../test/coupon-scene.ts'
import { buildProblem } from '../../../test/fake-store.ts'
import { DAY, MINUTE } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { listAlarms, watchStages } from '../../insights/alarms/alarms.ts'
import { deleteUnneededCodes } from './codes-tidy.ts'

// Notifications if the key cannot write coupons: one about coupons, and none that sending has stopped.

const world = createWorld()
let shop: CouponShop

beforeEach(async () => {
  shop = await createCouponShop(world)
  await shop.abandoned('ada')
})

async function readNotices() {
  const rows = (await shop.notifications()).filter(({ type }) => type === 'store_check_failed')
  return rows.map(({ data, created_at }) =>
    getNotificationText({ type: 'store_check_failed', data: data as never, createdAt: created_at }),
  )
}

/** Minute by minute, with all worker jobs. */
async function runMinutes(minutes: number) {
  for (let minute = 0; minute < minutes; minute += 1) {
    await shop.passTime(MINUTE)
    await shop.make()
    await watchStages(world.deps)
  }
}

test('a read-only key is notified once, about coupons, and no alarm says that sending has stopped', async () => {
  shop.fake.createCoupons = async () => {
    throw buildProblem('read_only_key')
  }
  await runMinutes(20)
  expect((await shop.firstMessage()).reason).toBe('coupon_failed')
  expect(await readNotices()).toEqual([
    {
      title: 'The store refuses coupon codes',
      message:
        'The key of this store is read-only, so coupon codes cannot be created or deleted. Create a key with Read/Write permissions, then choose “Replace keys” under Settings, Store. Messages with a personal coupon code wait for it until they expire. Everything else is sent as usual.',
    },
  ])
  // The sweep does not run here.
  expect((await listAlarms(world.deps)).map(({ stage }) => stage)).toEqual(['sync'])
  const { body } = await shop.get('/api/stores/doctor')
  expect(JSON.stringify(body.checks.filter(({ id }: { id: string }) => id === 'sync'))).not.toMatch(
    /failed|coupon|read-only/i,
  )
})

test('a key that cannot delete coupons is notified at most once a day, during cleanup and creation', async () => {
  await shop.make()
  await world.db.deleteFrom('messages').where('store_id', '=', shop.storeId).execute()
  const refuse = () => {
    shop.fake.deleteCoupons = async () => {
      throw buildProblem('no_rights', 'Sorry, you are not allowed to delete this resource.')
    }
  }
  const allow = shop.fake.deleteCoupons
  const tidy = () => deleteUnneededCodes(world.deps, { storeId: shop.storeId })
  for (const _ of [1, 2]) {
    refuse()
    await tidy()
    // Fixed and broken again within the day.
    shop.fake.deleteCoupons = async () => []
    await tidy()
  }
  const [first, ...others] = await readNotices()
  expect(others).toEqual([])
  expect(first).toMatchObject({
    title: 'The store refuses coupon codes',
    message: expect.stringMatching(
      /^The key of this store cannot create or delete coupon codes\. .*\(Sorry, you are not allowed to delete this resource\.\)/,
    ),
  })
  world.advance(DAY)
  refuse()
  await tidy()
  expect(await readNotices()).toHaveLength(2)
  shop.fake.deleteCoupons = allow
})

test('an error of the whole store sends no notification about coupons', async () => {
  shop.fake.problem = buildProblem('wrong_key')
  await shop.make()
  expect(await readNotices()).toEqual([])
})
