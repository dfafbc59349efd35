import { beforeEach, expect, test } from 'vitest'
import { computeWordingId } from '../../../shared/shoppers/consent-box.ts'
import { buildProblem } from '../../../test/fake-store.ts'
import { buildBeat, buildWireOrder, createPluginShop, type PluginShop } from '../../../test/plugin-shop.ts'
import { createWorld } from '../../../test/world.ts'
import { checkOrders } from '../../carts/sync/order-check.ts'
import { isNewer } from './zip.ts'

// The plugin's heartbeat, and the order check of a shop that Recoup cannot reach (D3).

const world = createWorld()
let shop: PluginShop

beforeEach(async () => {
  shop = await createPluginShop(world, { isCutOff: true })
  await world.runJobs()
})

const beat = async (change: Record<string, unknown> = {}) => (await shop.call('beat', buildBeat(shop, change))).body
const report = (since: string, list: unknown[], change: Record<string, unknown> = {}) => ({
  orders: { since, age: 5, isComplete: true, list, ...change },
})

test('a complete report from the requested start is an order check of its own age', async () => {
  const { ask } = await beat()
  expect(ask).toMatchObject({ everyS: 60, ordersSince: expect.any(String) })
  expect(await checkOrders(world.deps, { storeId: shop.storeId, db: world.db })).toMatchObject({ isFresh: false })
  await beat(report(ask.ordersSince, [buildWireOrder(world)]))
  expect(await checkOrders(world.deps, { storeId: shop.storeId, db: world.db })).toMatchObject({
    isFresh: true,
    // Such a plugin does not report the time of the request, so the maximum delivery time is assumed.
    pulledAt: new Date(world.now.getTime() - 5_000 - 15_000),
  })
  const orders = await world.db.selectFrom('orders').select('order_id').where('store_id', '=', shop.storeId).execute()
  expect(orders).toEqual([{ order_id: '501' }])
  world.advance(41_000)
  expect(await checkOrders(world.deps, { storeId: shop.storeId, db: world.db })).toMatchObject({ isFresh: false })
})

test('an unrequested, late-starting or incomplete report does not make the order check fresh', async () => {
  expect(await checkOrders(world.deps, { storeId: shop.storeId, db: world.db })).toMatchObject({ isFresh: false })
  await beat(report(world.now.toISOString(), []))
  expect(await checkOrders(world.deps, { storeId: shop.storeId, db: world.db })).toMatchObject({ isFresh: false })
  const { ask } = await beat()
  const later = new Date(new Date(ask.ordersSince).getTime() + 1_000).toISOString()
  await beat(report(later, []))
  expect(await checkOrders(world.deps, { storeId: shop.storeId, db: world.db })).toMatchObject({ isFresh: false })
  const next = await beat(report(ask.ordersSince, [buildWireOrder(world)], { isComplete: false }))
  expect(new Date(next.ask.ordersSince) > new Date(ask.ordersSince)).toBe(true)
  expect(await checkOrders(world.deps, { storeId: shop.storeId, db: world.db })).toMatchObject({ isFresh: false })
  await beat(report(next.ask.ordersSince, []))
  expect(await checkOrders(world.deps, { storeId: shop.storeId, db: world.db })).toMatchObject({ isFresh: true })
})

test('a reachable shop is not asked to report its orders', async () => {
  await beat()
  shop.fake.problem = null
  world.advance(11 * 60_000)
  await beat()
  await world.runJobs()
  expect(await beat()).toMatchObject({ reach: { isReached: true }, ask: { everyS: 3_600, ordersSince: null } })
})

test('a shop that Recoup has not called yet is not reported as reached', async () => {
  await world.db
    .updateTable('plugin_connections')
    .set({ is_reached: null, reach_code: null, reach_checked_at: null })
    .where('store_id', '=', shop.storeId)
    .execute()
  expect(await beat()).toMatchObject({ reach: null, ask: { everyS: 60, ordersSince: null } })
})

test('a shop whose reading fails repeatedly is asked for its orders meanwhile', async () => {
  shop.fake.problem = null
  world.advance(11 * 60_000)
  await beat()
  await world.runJobs()
  shop.fake.problem = buildProblem('unreachable')
  for (let n = 0; n < 3; n++) {
    world.advance(2 * 60_000)
    await checkOrders(world.deps, { storeId: shop.storeId, db: world.db })
  }
  expect(await beat()).toMatchObject({
    reach: { isReached: false, reason: expect.stringContaining('did not answer') },
    ask: { ordersSince: expect.any(String) },
  })
})

test('the heartbeat returns box texts, the highest known queue number, and a requested test', async () => {
  await shop.batch([{ seq: 41, type: 'test', test: 'f'.repeat(32) }])
  const body = await beat()
  expect(body).toMatchObject({ seq: 41, ask: { test: null } })
  const german = { channel: 'email', language: 'de', words: 'Erinnert mich.' }
  await world.request('PUT', '/api/consent/boxes', { token: shop.owner.token, body: german })
  const [email, sms] = (await beat()).settings.boxes
  expect(email.languages).toEqual({ de: { words: 'Erinnert mich.', id: computeWordingId('Erinnert mich.') } })
  expect(Object.keys(sms.languages)).toEqual(['de'])
  const own = { channel: 'sms', words: 'Text me.' }
  await world.request('PUT', '/api/consent/boxes', { token: shop.owner.token, body: own })
  expect((await beat()).settings.boxes[1]).not.toHaveProperty('languages')
  // Only channels through which the account can send have a box.
  expect(body.settings.boxes.map(({ channel }: { channel: string }) => channel)).toEqual(['email', 'sms', 'whatsapp'])
  world.textChannels = { sms: false, whatsapp: false }
  expect((await beat()).settings.boxes.map(({ channel }: { channel: string }) => channel)).toEqual(['email'])
  const reply = await world.request('POST', '/api/stores/plugin/test', { token: shop.owner.token })
  expect(reply).toMatchObject({ status: 200, body: { message: expect.stringContaining('test cart') } })
  const { ask } = await beat()
  expect(ask.test).toMatch(/^[0-9a-f]{32}$/)
  await shop.batch([{ seq: 42, type: 'test', test: ask.test }])
  expect((await beat()).ask.test).toBeNull()
  const { plugin } = (await world.request('GET', '/api/stores/plugin', { token: shop.owner.token })).body
  expect(plugin).toMatchObject({ isAlive: true, test: { isWaiting: false, seenAt: world.now.toISOString() } })
})

test('a new installation starts its queue at 0', async () => {
  await shop.batch([{ seq: 41, type: 'test', test: 'f'.repeat(32) }])
  expect(await beat({ install: '9'.repeat(32) })).toMatchObject({ seq: 0 })
})

test.each([
  ['0.1.0', false],
  ['0.2.0', true],
  ['1.0.0', true],
])("plugin version %s shows boxes in the page's language: %s", async (version, showsLanguages) => {
  await world.db.updateTable('plugin_connections').set({ version }).where('store_id', '=', shop.storeId).execute()
  const { body } = await world.request('GET', '/api/stores/plugin', { token: shop.owner.token })
  expect(body.plugin).toMatchObject({ version, showsLanguages })
})

test('an update is a version with a higher number', () => {
  const cases: [string, string, boolean][] = [
    ['1.0.1', '1.0.0', true],
    ['1.10.0', '1.9.9', true],
    ['1.0.0', '1.0.0', false],
    ['1.0.0', '1.0.1', false],
    ['2', '1.9.9', true],
    ['1.0', '1.0.0', false],
  ]
  for (const [one, other, isTrue] of cases) expect([one, other, isNewer(one, other)]).toEqual([one, other, isTrue])
})

test('a new key pair of web push is sent to the shop at once, which then serves the worker', async () => {
  const wakes = () =>
    world.queued.filter(
      ({ name, payload }) => name === 'plugin.wake' && (payload as { storeId: string }).storeId === shop.storeId,
    )
  const token = shop.owner.token
  const make = (replace?: 'moving' | 'leaked') =>
    world.request('POST', '/api/push-notifications/generate-vapid-keys', {
      token,
      body: { storeUrl: shop.home, ...(replace && { replace }) },
    })
  await world.runJobs()
  expect((await beat()).settings.push).toBeNull()
  expect((await make()).status).toBe(200)
  expect(wakes()).toMatchObject([{ payload: { reason: 'settings' } }])
  expect((await beat()).settings.push).toMatchObject({ worker: expect.stringMatching(/\/push\/sw\.js$/) })
  await world.runJobs()
  await make()
  expect(wakes()).toEqual([])
  await make('moving')
  expect(wakes()).toHaveLength(1)
})
