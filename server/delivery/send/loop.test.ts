import { expect, test } from 'vitest'
import { buildOrder, completeOrderCheck, createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { detectAbandoned } from '../../carts/carts/detect.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { wakeDueStores } from '../../messages/messages/scan.ts'

// The send loop, rule by rule, on the real database. Only the shop's API is faked.

const world = createWorld()
const HOUR = 3_600_000

async function pass(storeId: string, ms: number) {
  world.advance(ms)
  await completeOrderCheck(world, storeId)
  await detectAbandoned(world.deps)
  await wakeDueStores(world.deps)
  await world.runJobs()
}

async function readMessages(storeId: string) {
  return world.db.selectFrom('messages').selectAll().where('store_id', '=', storeId).orderBy('step').execute()
}

test('a draft becomes a cart, is abandoned after the first step’s delay, and one mail is sent (S1, D1)', async () => {
  const { storeId } = await createStore(world)
  const order = buildOrder(world)
  await recordOrders(world.deps, storeId, [order], 'sync')
  await recordOrders(world.deps, storeId, [order], 'sync')
  await pass(storeId, 59 * 60_000)
  expect(world.sent).toHaveLength(0)
  await pass(storeId, 60_000)
  expect(world.sent).toHaveLength(1)
  expect(world.sent[0]).toMatchObject({ to: order.email, subject: expect.stringContaining('Tea & Co') })
  expect(world.sent[0]!.html).not.toContain('{{')
  expect(world.sent[0]!.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
  await pass(storeId, 60_000)
  expect(world.sent).toHaveLength(1)
  const [first, second, third] = await readMessages(storeId)
  expect([first!.state, second!.state, third!.state]).toEqual(['sent', 'scheduled', 'scheduled'])
})

test('a purchase before the step is due cancels it, with the reason (S3, D5)', async () => {
  world.sent.length = 0
  const { storeId } = await createStore(world)
  const order = buildOrder(world)
  await recordOrders(world.deps, storeId, [order], 'sync')
  await pass(storeId, HOUR - 1)
  const bought = {
    ...order,
    kind: 'purchase' as const,
    status: 'processing',
    modifiedAt: world.now.toISOString(),
    paidAt: world.now.toISOString(),
  }
  await recordOrders(world.deps, storeId, [bought], 'webhook')
  await pass(storeId, HOUR)
  expect(world.sent).toHaveLength(0)
  const cart = await world.db.selectFrom('carts').selectAll().where('store_id', '=', storeId).executeTakeFirstOrThrow()
  expect(cart.status).toBe('purchased')
})
