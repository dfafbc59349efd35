import { beforeEach, expect, test } from 'vitest'
import type { CartView } from '../../../shared/carts/carts.ts'
import { createStore } from '../../../test/factories.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { loadPaths } from './path.ts'

// The path of a cart in the list: its messages and clicks.

const world = createWorld()
let shop: Shop

beforeEach(async () => {
  shop = await createShop(world)
  await shop.fill('browser', [buildTea()])
  await shop.type('browser', { email: 'ada@shoppers.example.com', firstName: 'Ada', lastName: 'L' })
})

const readPath = async () => {
  const { body } = await shop.get('/api/carts/abandoned')
  const [listed] = body.carts as CartView[]
  const { body: single } = await shop.get(`/api/carts/${listed!.id}`)
  expect(single.cart.path).toEqual(listed!.path)
  return listed!.path!
}

test('the path follows a cart from the first reminder to the click', async () => {
  await shop.passTime(HOUR)
  expect(await readPath()).toMatchObject({ message: 'sent', reminders: { sent: 1, planned: 3 }, clickedAt: null })
  await shop.passTime(DAY)
  const second = await readPath()
  expect(second).toMatchObject({ reminders: { sent: 2, planned: 3 }, explanation: '' })
  expect(Date.parse(second.nextAt!)).toBeGreaterThan(world.now.getTime())
  world.advance(MINUTE)
  await shop.press((await shop.messages())[1]!.id)
  expect((await readPath()).clickedAt).toBe(world.now.toISOString())
})

test.each([
  ['scheduled', null, 'waiting'],
  ['held', 'quiet_hours', 'on_hold'],
  ['failed', 'rejected:550', 'failed'],
  ['skipped', 'no_consent', 'stopped'],
])('a cart whose messages are %s (%s) has the message state %s', async (state, reason, expected) => {
  await shop.passTime(HOUR)
  await world.pool.query(
    'update messages set state = $2, reason = $3, sending_at = null, finished_at = null where store_id = $1',
    [shop.storeId, state, reason],
  )
  const path = await readPath()
  expect(path).toMatchObject({ message: expected, sentAt: null, reminders: { sent: 0, planned: 3 } })
  expect(path.explanation === '').toBe(reason === null)
})

test('another store’s cart has no path', async () => {
  await shop.passTime(HOUR)
  const { id } = await shop.cart()
  const other = await createStore(world)
  expect(await loadPaths({ db: world.db, storeId: other.storeId } as never, [id])).toEqual(new Map())
})
