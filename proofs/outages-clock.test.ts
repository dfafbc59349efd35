import { beforeEach, expect, test } from 'vitest'
import { detectAbandoned } from '../server/carts/carts/detect.ts'
import { recordOrders } from '../server/carts/carts/record.ts'
import { checkOrders } from '../server/carts/sync/order-check.ts'
import { enqueueDueSyncs } from '../server/carts/sync/sync.ts'
import { closeAbandonedSends } from '../server/delivery/send/abandoned.ts'
import { beat } from '../server/delivery/send/workers.ts'
import { watchStages } from '../server/insights/alarms/alarms.ts'
import { wakeDueStores } from '../server/messages/messages/scan.ts'
import { StoreProblem } from '../server/platforms/platform/store-problem.ts'
import { type ConnectedStore, createConnectedStore } from '../test/connected-store.ts'
import { buildOrder } from '../test/factories.ts'
import { readNotifications } from '../test/notifications.ts'
import { createWorld } from '../test/world.ts'

// Outages on a virtual clock with the worker's own ticks: store or mail server are down, or the clock steps back.
// `outages.test.ts` covers outages of real processes.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const world = createWorld()
let shop: ConnectedStore

beforeEach(async () => {
  await world.db.updateTable('stores').set({ is_active: false }).execute()
  await world.db.deleteFrom('alarm_watch').execute()
  world.answer = (mail) => ({ kind: 'accepted', providerId: mail.messageId, response: '250 queued' })
  world.sent.length = 0
  shop = await createConnectedStore(world)
  await switchFlowOn()
})

/** The ready-made flow is on, and the sender is set. */
async function switchFlowOn(): Promise<void> {
  const { storeId } = shop
  await world.db
    .updateTable('stores')
    .set({
      sender_name: 'Tea & Co',
      postal_address: '1 Main Street',
      effective_timeout_minutes: 60,
      base_country: 'US',
      selling_countries: ['US'],
    })
    .where('id', '=', storeId)
    .execute()
  await world.db
    .updateTable('flows')
    .set({ is_on: true, switched_on_at: world.now, takes_from: world.now })
    .where('store_id', '=', storeId)
    .execute()
}

/** Runs the worker's ticks, minute by minute. */
async function runTicks(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    world.advance(48_000)
    // In production every three seconds; only the last of each minute matters here.
    for (let beats = 0; beats < 5; beats++) {
      if (beats > 0) world.advance(3_000)
      await beat(world.deps)
    }
    await detectAbandoned(world.deps)
    await closeAbandonedSends(world.deps)
    await enqueueDueSyncs(world.deps)
    await wakeDueStores(world.deps)
    await world.runJobs()
    await watchStages(world.deps)
  }
}

/** Abandons a cart every five minutes. */
async function abandonCarts(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await recordOrders(world.deps, shop.storeId, [buildOrder(world)], 'webhook')
    await runTicks(5)
  }
}

async function listSteps(step = 1): Promise<{ state: string; reason: string | null }[]> {
  return world.db
    .selectFrom('messages')
    .select(['state', 'reason'])
    .where('store_id', '=', shop.storeId)
    .where('step', '=', step)
    .execute()
}

async function listStageAlarms(): Promise<string[]> {
  return (await readNotifications(world, shop.storeId))
    .filter(({ type }) => type.startsWith('stage_'))
    .map(({ title }) => title)
}

const listRecipients = () => world.sent.map((mail) => mail.to)

/** Hours on a virtual clock: the real duration depends only on the load of the machine. */
const LIMIT_MS = 180_000

test(
  'holds messages while the store is down for an hour, notifies the owner, and sends each once afterwards',
  async () => {
    await abandonCarts(6)
    await runTicks(20)
    const goOn = shop.fake.orders
    shop.fake.orders = () => {
      throw new StoreProblem('unreachable')
    }
    world.sent.length = 0
    await runTicks(60)
    expect(world.sent).toEqual([])
    const held = (await listSteps()).filter((row) => row.state === 'held')
    expect(held.length).toBeGreaterThan(0)
    expect(held.every((row) => row.reason === 'store_unreachable:unreachable')).toBe(true)
    expect(await listStageAlarms()).toEqual(['The store has not been synced'])
    shop.fake.orders = goOn
    await runTicks(30)
    expect((await listSteps()).every((row) => row.state === 'sent')).toBe(true)
    expect(new Set(listRecipients()).size).toBe(listRecipients().length)
    expect(await listStageAlarms()).toEqual(['The store has not been synced', 'The store is being synced again'])
  },
  LIMIT_MS,
)

test(
  'sends nothing while the store is down for 40 minutes with ten mails due, and within a minute of its return all but to buyers (D3)',
  async () => {
    const orders = Array.from({ length: 10 }, () => buildOrder(world))
    await recordOrders(world.deps, shop.storeId, orders, 'webhook')
    shop.fake.allOrders = [...orders]
    await runTicks(55)
    // Orders were last read ten minutes before the mails are due, which an older version accepted.
    await checkOrders(world.deps, { storeId: shop.storeId, db: world.db })
    shop.fake.problem = new StoreProblem('unreachable', 'connection refused')
    await runTicks(40)
    expect(world.sent).toEqual([])
    expect(await listSteps()).toEqual(orders.map(() => ({ state: 'held', reason: 'store_unreachable:unreachable' })))
    const at = world.now.toISOString()
    const purchase = { kind: 'purchase', status: 'processing', modifiedAt: at, paidAt: at } as const
    shop.fake.allOrders = orders.map((order, index) => (index < 3 ? { ...order, ...purchase } : order))
    shop.fake.problem = null
    await runTicks(1)
    const expected = orders.slice(3).map((order) => order.email)
    expect(listRecipients().toSorted()).toEqual(expected.toSorted())
    const reasons = (await listSteps()).map(({ state, reason }) => (reason ? `${state}(${reason})` : state))
    expect(reasons.toSorted()).toEqual([
      ...orders.slice(0, 3).map(() => 'cancelled(purchased)'),
      ...expected.map(() => 'sent'),
    ])
  },
  LIMIT_MS,
)

test(
  'retries with growing delays while the mail server is down for an hour, notifies the owner, and sends each mail once',
  async () => {
    await abandonCarts(6)
    world.answer = () => ({
      kind: 'retry',
      reason: 'connection_refused',
      response: 'connect ECONNREFUSED 127.0.0.1:25',
    })
    await runTicks(90)
    const tries = world.sent.length
    expect((await listSteps()).every((row) => row.state === 'held' && row.reason === 'retry')).toBe(true)
    expect(tries).toBeLessThan(6 * 12)
    expect(await listStageAlarms()).toEqual(['The mail server accepts no messages'])
    world.sent.length = 0
    world.answer = (mail) => ({ kind: 'accepted', providerId: mail.messageId, response: '250 queued' })
    await runTicks(20)
    expect((await listSteps()).every((row) => row.state === 'sent')).toBe(true)
    expect(listRecipients()).toHaveLength(6)
    expect(await listStageAlarms()).toEqual(['The mail server accepts no messages', 'Messages are being sent again'])
  },
  LIMIT_MS,
)

test(
  'closes mails that are more than a day late when the mail server is down for two days',
  async () => {
    await abandonCarts(1)
    world.answer = () => ({
      kind: 'retry',
      reason: 'connection_refused',
      response: 'connect ECONNREFUSED 127.0.0.1:25',
    })
    await runTicks(70)
    for (let hour = 0; hour < 48; hour++) {
      world.advance(HOUR - MINUTE)
      await runTicks(1)
    }
    world.answer = (mail) => ({ kind: 'accepted', providerId: mail.messageId, response: '250 queued' })
    world.sent.length = 0
    await runTicks(60)
    expect(await listSteps(1)).toMatchObject([{ state: 'skipped' }])
    expect(world.sent.length).toBeLessThanOrEqual(1)
  },
  LIMIT_MS,
)

test(
  'sends nothing again when the clock steps back a day, and checks the store within minutes',
  async () => {
    await abandonCarts(2)
    await runTicks(70)
    expect(world.sent).toHaveLength(2)
    world.advance(-DAY)
    const readings = shop.fake.orders
    let pulls = 0
    shop.fake.orders = (query) => {
      pulls++
      return readings(query)
    }
    await runTicks(3)
    expect(pulls).toBeGreaterThan(0)
    await runTicks(40)
    expect(world.sent).toHaveLength(2)
    expect(await listStageAlarms()).toEqual([])
  },
  LIMIT_MS,
)

test(
  'considers a worker dead that died before its clock stepped back, and ends its leases',
  async () => {
    await abandonCarts(1)
    const { storeId } = shop
    await runTicks(54)
    const dead = '01900000-0000-7000-8000-00000000dead'
    await world.db
      .insertInto('workers')
      .values({
        id: dead,
        started_at: world.now,
        seen_at: new Date(world.now.getTime() + DAY),
        steady_since: world.now,
      })
      .execute()
    const lease = new Date(world.now.getTime() + DAY)
    await world.db.updateTable('send_schedule').set({ lease_until: lease }).where('store_id', '=', storeId).execute()
    await world.db
      .updateTable('messages')
      .set({ state: 'claimed', worker_id: dead, claim: dead, wake_at: lease })
      .where('store_id', '=', storeId)
      .where('step', '=', 1)
      .execute()
    await runTicks(10)
    expect(await listSteps()).toEqual([{ state: 'sent', reason: null }])
  },
  LIMIT_MS,
)
