import { beforeEach, expect, test } from 'vitest'
import { buildAddress, type CouponShop, createCouponShop } from '../../../test/coupon-scene.ts'
import { buildCoupon } from '../../../test/fake-coupons.ts'
import { buildProblem } from '../../../test/fake-store.ts'
import { DAY, MINUTE } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { readCoupons } from '../sync/goods.ts'
import { tidyCodesJob } from './codes-jobs.ts'
import { deleteUnneededCodes, enqueueCodeCleanups } from './codes-tidy.ts'

// Unneeded codes are deleted from the store (decision 34).

const world = createWorld()
let shop: CouponShop

beforeEach(async () => {
  world.queued.length = 0
  shop = await createCouponShop(world)
})

const tidy = () => deleteUnneededCodes(world.deps, { storeId: shop.storeId })
const readStates = async () => (await shop.codes()).map((each) => each.state)
const listCodesInStore = () => shop.fake.allCoupons.map((each) => each.code.toUpperCase()).sort()

/** As written by the send. */
async function markSent(name: string, coupon_code: string | null) {
  const message = await world.db
    .selectFrom('messages as m')
    .innerJoin('carts as c', 'c.id', 'm.cart_id')
    .select('m.id')
    .where('m.store_id', '=', shop.storeId)
    .where('m.step', '=', 1)
    .where('c.email', '=', buildAddress(name))
    .executeTakeFirstOrThrow()
  await world.db
    .updateTable('messages')
    .set({ state: 'sent', sending_at: world.now, coupon_code })
    .where('id', '=', message.id)
    .execute()
}

const createCodeFor = async (name: string) => {
  const cart = (await shop.carts()).find((each) => each.email === buildAddress(name))!
  return (await shop.codes()).find((each) => each.cart_id === cart.id)!.code
}

test('codes of messages that were never sent, or sent without them, are deleted, and others stay', async () => {
  shop.fake.allCoupons.push(buildCoupon({ couponId: '7', code: 'welcome10' }))
  await shop.abandoned('ada', 'bob', 'cyd', 'dan')
  await shop.make()
  await shop.order({ kind: 'purchase', email: buildAddress('ada') })
  await markSent('bob', await createCodeFor('bob'))
  await markSent('cyd', null)
  await tidy()
  expect(listCodesInStore()).toEqual([await createCodeFor('bob'), await createCodeFor('dan'), 'WELCOME10'].sort())
  expect((await readStates()).sort()).toEqual(['deleted', 'deleted', 'made', 'made'])
})

test('an unused code is deleted seven days after it expired', async () => {
  await shop.abandoned('ada', 'bob')
  await shop.make()
  await markSent('ada', await createCodeFor('ada'))
  await markSent('bob', await createCodeFor('bob'))
  await shop.order({
    kind: 'purchase',
    email: buildAddress('bob'),
    coupons: [(await createCodeFor('bob')).toLowerCase()],
  })
  const { expires_at } = (await shop.codes())[0]!
  world.advance(expires_at.getTime() - world.now.getTime() + 7 * DAY - 1)
  await tidy()
  expect(await readStates()).toEqual(['made', 'made'])
  world.advance(1)
  await tidy()
  expect(listCodesInStore()).toEqual([await createCodeFor('bob')])
})

test('a code without an answer is found by name and mark, even if the store created it twice', async () => {
  await shop.abandoned('ada')
  shop.fake.afterCoupon = async () => {
    throw buildProblem('timeout')
  }
  await shop.make()
  shop.fake.afterCoupon = async () => {}
  const [coupon] = shop.fake.allCoupons
  shop.fake.allCoupons.push({ ...coupon!, couponId: '7777' })
  await shop.order({ kind: 'purchase', email: buildAddress('ada') })
  world.advance(10 * MINUTE)
  await tidy()
  expect(listCodesInStore()).toEqual([])
  expect(await readStates()).toEqual(['deleted'])
})

test('a code deleted in the store leaves no twin that the store created after our timeout', async () => {
  await shop.abandoned('ada')
  shop.fake.problem = buildProblem('timeout')
  await shop.make()
  shop.fake.problem = null
  world.advance(MINUTE)
  await shop.make()
  const [coupon] = shop.fake.allCoupons
  shop.fake.allCoupons = [{ ...coupon!, couponId: '7777' }, buildCoupon({ couponId: '7', code: 'welcome10' })]
  // The check before each send finds that the owner deleted it.
  await readCoupons(world.deps, { storeId: shop.storeId, db: world.db }, [(await shop.firstMessage()).id])
  expect(await readStates()).toEqual(['deleted'])
  await tidy()
  expect(listCodesInStore()).toHaveLength(2)
  world.advance(10 * MINUTE)
  await enqueueCodeCleanups(world.deps)
  await tidy()
  expect(listCodesInStore()).toEqual(['WELCOME10'])
  // Permanently.
  const codes: string[] = []
  shop.fake.couponByCode = async (code) => {
    codes.push(code)
    return null
  }
  await tidy()
  expect(codes).toEqual([])
})

test('a code that the store may still be creating is not deleted yet', async () => {
  await shop.abandoned('ada')
  shop.fake.problem = buildProblem('timeout')
  await shop.make()
  shop.fake.problem = null
  await shop.order({ kind: 'purchase', email: buildAddress('ada') })
  await tidy()
  expect(await readStates()).toEqual(['wanted'])
  const { code, message_id } = (await shop.codes())[0]!
  shop.fake.allCoupons.push(buildCoupon({ couponId: '7', code: code.toLowerCase(), mark: `message:${message_id}` }))
  world.advance(10 * MINUTE)
  await tidy()
  expect(listCodesInStore()).toEqual([])
  expect(await readStates()).toEqual(['deleted'])
})

test('another coupon with the same code stays', async () => {
  await shop.abandoned('ada')
  shop.fake.problem = buildProblem('timeout')
  await shop.make()
  shop.fake.problem = null
  const { code } = (await shop.codes())[0]!
  shop.fake.allCoupons.push(buildCoupon({ couponId: '7', code: code.toLowerCase() }))
  await shop.order({ kind: 'purchase', email: buildAddress('ada') })
  world.advance(10 * MINUTE)
  await tidy()
  expect(listCodesInStore()).toEqual([code])
  expect(await readStates()).toEqual(['deleted'])
})

test('an unanswered deletion is retried, and a code missing from the store counts as deleted', async () => {
  await shop.abandoned('ada')
  await shop.make()
  await shop.order({ kind: 'purchase', email: buildAddress('ada') })
  shop.fake.afterCoupon = async () => {
    throw buildProblem('timeout')
  }
  expect((await tidy()).kind).toBe('failed')
  expect(listCodesInStore()).toEqual([])
  expect(await readStates()).toEqual(['made'])
  shop.fake.afterCoupon = async () => {}
  await tidy()
  expect(await readStates()).toEqual(['deleted'])
})

test('codes of an erased shopper and of a deleted message are deleted', async () => {
  await shop.abandoned('ada', 'bob')
  await shop.make()
  await markSent('ada', await createCodeFor('ada'))
  const bobs = await createCodeFor('bob')
  await markSent('bob', bobs)
  const erased = await world.request('DELETE', `/api/privacy/${encodeURIComponent(buildAddress('ada'))}`, {
    token: shop.token,
    body: { confirmation: 'erase' },
  })
  expect(erased.status).toBe(202)
  await world.runJobs()
  await tidy()
  expect(listCodesInStore()).toEqual([bobs])
  await world.db.deleteFrom('messages').where('store_id', '=', shop.storeId).execute()
  await tidy()
  expect(listCodesInStore()).toEqual([])
})

test('runs once a day, sooner after a failure, and never for a disconnected store', async () => {
  const isQueued = async () => {
    world.queued.length = 0
    await enqueueCodeCleanups(world.deps)
    return world.queued.some(({ name, payload }) => {
      return name === tidyCodesJob.name && (payload as { storeId: string }).storeId === shop.storeId
    })
  }
  expect(await isQueued()).toBe(false)
  await shop.abandoned('ada', 'bob')
  await shop.make()
  expect(await isQueued()).toBe(true)
  await tidy()
  expect(await isQueued()).toBe(false)
  world.advance(DAY)
  expect(await isQueued()).toBe(true)
  await shop.order({ kind: 'purchase', email: buildAddress('ada') })
  shop.fake.problem = buildProblem('unreachable')
  await tidy()
  expect(await isQueued()).toBe(false)
  world.advance(5 * 60_000)
  expect(await isQueued()).toBe(true)
  await world.db.updateTable('stores').set({ is_active: false }).where('id', '=', shop.storeId).execute()
  expect(await isQueued()).toBe(false)
})

test('a copy of the installation does not touch the store', async () => {
  await shop.abandoned('ada')
  await shop.make()
  await shop.order({ kind: 'purchase', email: buildAddress('ada') })
  await world.db
    .insertInto('instance')
    .values({ is_only: true, fingerprint: 'copied', is_paused: true, created_at: world.now })
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet({ is_paused: true }))
    .execute()
  await tidy()
  expect(shop.fake.allCoupons).toHaveLength(1)
  await world.db.updateTable('instance').set({ is_paused: false }).execute()
})
