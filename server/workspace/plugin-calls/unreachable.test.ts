import { afterEach, expect, test } from 'vitest'
import type { Check } from '../../../shared/core/checks.ts'
import { pluginTexts } from '../../../shared/platforms/plugin-texts.ts'
import { assignCouponToSteps, insertCoupon, readCouponCode } from '../../../test/coupon-copies.ts'
import type { TestStore } from '../../../test/factories.ts'
import { buildProblem } from '../../../test/fake-store.ts'
import { postWithWorker } from '../../../test/manual-send-scene.ts'
import { HOUR, listStepDecisions, MINUTE, readMessages } from '../../../test/message-scene.ts'
import { buildBeat, buildCartEntry, buildWireOrder, createCartToken } from '../../../test/plugin-shop.ts'
import {
  buildSellableProduct,
  createUnreachableShop,
  passTime,
  runTick,
  type UnreachableShop,
  type UnreachableShopOptions,
} from '../../../test/unreachable-shop.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { checkOrders } from '../../carts/sync/order-check.ts'
import { createRestoreToken } from '../../delivery/compose/compose.ts'

// A shop that never answers Recoup sends nonetheless. Orders, stock and prices come from its plugin's
// reports (D3).

const world = createWorld()
let shop: UnreachableShop
afterEach(() => shop.close())

const contact = { email: 'ada@shoppers.example.com', firstName: 'Ada', country: 'US' }
let seq = 0

async function abandonCart(change: Record<string, unknown> = {}) {
  const cart = createCartToken()
  await shop.batch([{ seq: ++seq, ...buildCartEntry({ cart, contact, ...change }) }])
  return cart
}

/** A cart whose first message has been due for a while. */
async function createDueCart(change: Record<string, unknown> = {}, how: UnreachableShopOptions = {}) {
  shop = await createUnreachableShop(world, how)
  world.sent.length = 0
  await shop.beat()
  const cart = await abandonCart(change)
  await passTime(world, 2 * HOUR, HOUR)
  return cart
}

/** Runs WordPress' minutely task, then the worker. */
async function minute(): Promise<number> {
  await passTime(world, MINUTE, 20_000)
  const beats = await shop.beat()
  await runTick(world)
  return beats
}

const messages = () => readMessages(world, shop.storeId)
const states = async () => (await messages()).map(({ state, reason }) => [state, reason])
const first = async () => (await states())[0]
const mail = () => world.sent.at(-1) as { to: string; text: string; html: string }
const line = (product: string, change: Record<string, unknown> = {}) => ({
  product,
  variation: null,
  quantity: 1,
  name: `Product ${product}`,
  sku: '',
  price: '10.00',
  choices: [],
  ...change,
})

test('a cart is reported, abandoned, reminded, restored and purchased without any answered call to the shop', async () => {
  const cart = await createDueCart({}, { isSilent: true })
  expect(world.sent).toEqual([])
  await shop.beat()
  await runTick(world)
  expect(world.sent).toHaveLength(1)
  expect(mail()).toMatchObject({ to: contact.email, text: expect.stringContaining('2 × Earl Grey: $39.00') })

  const token = createRestoreToken(world.deps.secrets, (await messages())[0]!.id)
  const { body } = await world.request('POST', `/api/carts/${token}/restore`)
  const back = new URL(body.checkoutUrl).searchParams.get('recoup-restore')!
  expect((await shop.call('restore', { token: back })).body.lines).toMatchObject([{ product: '16', quantity: 2 }])

  world.advance(5 * MINUTE)
  await shop.batch([{ seq: ++seq, type: 'order', order: buildWireOrder(world), cart, event: 'placed' }])
  await runTick(world)
  const carts = await world.db.selectFrom('carts').select('status').where('store_id', '=', shop.storeId).execute()
  expect(carts).toEqual([{ status: 'recovered' }])
  expect(shop.calls()).toBeGreaterThan(0)
})

test('a due message says that it waits for the plugin’s report, and what the owner can do', async () => {
  await createDueCart()
  expect(await first()).toEqual(['held', 'store_unreachable:orders_unreported'])
  const flow = await world.db.selectFrom('flows').select('id').where('store_id', '=', shop.storeId).executeTakeFirst()
  const { token } = shop.owner
  const { body } = await world.request('GET', `/api/flows/${flow!.id}/upcoming?minutes=60`, { token })
  expect(JSON.stringify(body)).toContain(pluginTexts.reportsByCron)
  // Not repeated while reports come and expire.
  await passTime(world, 5 * MINUTE, MINUTE)
  expect(await listStepDecisions(world, shop.storeId)).toEqual(['hold store_unreachable:orders_unreported'])
  await minute()
  expect(world.sent).toHaveLength(1)
})

test('a purchase known only from a report stops the reminder', async () => {
  await createDueCart()
  shop.orders.push(buildWireOrder(world))
  await minute()
  expect(world.sent).toEqual([])
  expect((await first())![0]).toBe('cancelled')
})

test('reports continue every minute, and each message is sent with the first one after it is due', async () => {
  await createDueCart()
  await minute()
  expect(world.sent).toHaveLength(1)
  for (let hour = 0; hour < 2; hour++) {
    await abandonCart({ contact: { ...contact, email: `hour${hour}@shoppers.example.com` } })
    for (let count = 0; count < 4; count++) {
      await minute()
      expect(shop.request).toMatchObject({ everyS: 60, ordersSince: expect.any(String) })
    }
    await passTime(world, HOUR, HOUR)
    await minute()
    expect(world.sent).toHaveLength(2 + hour)
  }
})

test('sold-out products are not advertised, and no reminder is sent if all are gone', async () => {
  await createDueCart({ lines: [line('16'), line('17')] })
  shop.products.set('17:', buildSellableProduct('17', { stock_status: 'outofstock' }))
  await shop.beat()
  await runTick(world)
  expect(mail().text).toContain('Product 17: Sold out')
  expect(mail().text).toContain('1 × Product 16: $10.00')

  await shop.close()
  await createDueCart({ lines: [line('16'), line('17')] })
  shop.products.set('16:', buildSellableProduct('16', { status: 'draft' })).set('17:', null)
  await shop.beat()
  await runTick(world)
  expect(world.sent).toEqual([])
  expect(await first()).toEqual(['skipped', 'items_gone'])
})

test('a message with an unreported product is held, and no other', async () => {
  await createDueCart()
  await abandonCart({ lines: [line('17')], contact: { ...contact, email: 'bob@shoppers.example.com' } })
  await passTime(world, 2 * HOUR, HOUR)
  shop.products.set('16:', { id: 16, status: 'publish', price: '19.50' }).set('17:', buildSellableProduct('17'))
  await minute()
  expect(world.sent).toMatchObject([{ to: 'bob@shoppers.example.com' }])
  expect(await first()).toEqual(['held', 'store_unreachable:stock_unreported'])
  shop.products.set('16:', buildSellableProduct('16'))
  await minute()
  expect(world.sent).toHaveLength(2)
})

test("an unreadable coupon holds its message for two hours, then the step's setting decides", async () => {
  shop = await createUnreachableShop(world)
  world.sent.length = 0
  await shop.beat()
  const { storeId } = shop
  const flow = await world.db.selectFrom('flows').select('id').where('store_id', '=', storeId).executeTakeFirstOrThrow()
  const store = { storeId, flowId: flow.id } as TestStore
  const couponId = await insertCoupon(world, store, { platform_id: '71' })
  await assignCouponToSteps(world, store, couponId)
  await abandonCart()
  await passTime(world, 2 * HOUR, HOUR)
  // It may be unreachable only for a while.
  const outage = world.db.updateTable('plugin_connections').where('store_id', '=', storeId)
  await outage.set({ unreached_since: world.now }).execute()
  await minute()
  expect([world.sent.length, await first()]).toEqual([0, ['held', 'coupon_unread:unreachable']])
  await passTime(world, 2 * HOUR, HOUR)
  await minute()
  expect([world.sent.length, await first()]).toEqual([1, ['sent', null]])
  expect(mail().text).not.toContain(await readCouponCode(world, couponId))
})

const heldRecords = async () => {
  const { id } = (await messages())[0]!
  const rows = world.db
    .selectFrom('decision_records')
    .select('reason')
    .where('message_id', '=', id)
    .orderBy('at')
    .orderBy('id')
  return (await rows.execute()).map(({ reason }) => reason)
}

test.each([
  ['does not name the product', {}, 'stock_unreported'],
  ['names no products', { isOld: true }, 'plugin_outdated'],
])('a message keeps its reason while reports arrive and age, if one %s (D12)', async (_, how, reason) => {
  await createDueCart({}, how)
  shop.products.set('16:', { id: 16, status: 'publish', price: '19.50' })
  await minute()
  const before = await heldRecords()
  expect(before.at(-1)).toBe(`store_unreachable:${reason}`)
  for (let count = 0; count < 4; count++) {
    await passTime(world, 90_000, 15_000)
    await shop.beat()
    await runTick(world)
  }
  expect(await heldRecords()).toEqual(before)
  expect(before.length).toBeLessThanOrEqual(2)
})

test('a message that waits for a report is checked every half minute', async () => {
  await createDueCart()
  await runTick(world)
  for (const seconds of [0, 30, 30]) {
    world.advance(seconds * 1_000)
    await runTick(world)
    const [message] = await messages()
    expect(message).toMatchObject({ state: 'held', reason: expect.stringMatching(/^store_unreachable/) })
    expect(message!.wake_at.getTime() - world.now.getTime()).toBe(30_000)
  }
})

test('the server accepts an unrequested or unknown report and stores nothing', async () => {
  shop = await createUnreachableShop(world)
  await shop.beat()
  const report = { since: shop.request.ordersSince, age: 0, isComplete: true, list: [] }
  for (const goods of [[null, 7, 'x', { product: '0' }], [{ product: '424242', variation: null, terms: null }]])
    expect((await shop.call('beat', buildBeat(shop, { orders: { ...report, goods } }))).status).toBe(200)
  const known = world.db.selectFrom('plugin_goods').selectAll().where('store_id', '=', shop.storeId)
  expect(await known.execute()).toEqual([])
})

test('a large cart is reported in parts, within one task run', async () => {
  const lines = Array.from({ length: 250 }, (_, n) => line(String(1_000 + n)))
  await createDueCart({ lines })
  for (const { product } of lines) shop.products.set(`${product}:`, buildSellableProduct(product))
  expect(await shop.beat()).toBe(4)
  await runTick(world)
  expect(world.sent).toHaveLength(1)
})

test('a report older than a minute does not count', async () => {
  await createDueCart()
  await shop.beat()
  const { ordersSince } = shop.request
  world.advance(10_000)
  await shop.call(
    'beat',
    buildBeat(shop, { orders: { since: ordersSince, age: 70, isComplete: true, list: [], goods: [] } }),
  )
  world.advance(55_000)
  await runTick(world)
  expect(world.sent).toEqual([])
})

test('a report in transit for a minute does not count, however fast it was created', async () => {
  await createDueCart()
  await shop.beat()
  const { ordersSince, at } = shop.request
  expect(at).toBe(world.now.toISOString())
  world.advance(65_000)
  const goods = [{ product: '16', variation: null, terms: buildSellableProduct('16') }]
  const report = { since: ordersSince, age: 0, isComplete: true, list: [], goods, askedAt: at }
  await shop.call('beat', buildBeat(shop, { orders: { ...report, sinceAskedS: 2 } }))
  await runTick(world)
  expect(world.sent).toEqual([])
  await shop.call('beat', buildBeat(shop, { orders: { ...report, sinceAskedS: 62 } }))
  await runTick(world)
  expect(world.sent).toHaveLength(1)
})

test('the server skips an unreadable part of a report and finds a purchase after it', async () => {
  await createDueCart()
  const { ordersSince } = shop.request
  const wall = (ms: number) => new Date(world.now.getTime() - ms).toISOString().slice(0, 19)
  const list = Array.from({ length: 100 }, (_, n) => ({ id: n + 1, date_modified_gmt: wall(100_000 - n) }))
  await shop.call(
    'beat',
    buildBeat(shop, { orders: { since: ordersSince, age: 0, isComplete: false, list, goods: [] } }),
  )
  const { body } = await shop.call('beat', buildBeat(shop))
  expect(body.ask.ordersSince).toBe(`${wall(99_901)}.000Z`)
  shop.request = body.ask
  shop.orders.push(buildWireOrder(world))
  await minute()
  expect(world.sent).toEqual([])
  expect((await first())![0]).toBe('cancelled')
})

test('stock reported a minute ago is not used, although orders have been reported since (D3)', async () => {
  await createDueCart()
  for (let n = 0; n < 5; n++) await abandonCart({ contact: { ...contact, email: `n${n}@shoppers.example.com` } })
  await passTime(world, 2 * HOUR, HOUR)
  await shop.beat()
  world.advance(50_000)
  const orders = { since: shop.request.ordersSince, age: 0, isComplete: true, list: [], goods: [] }
  await shop.call('beat', buildBeat(shop, { orders }))
  // Five are sent at a time, by a slow mail server.
  world.answer = (mail) => {
    if (world.sent.length === 1) world.advance(20_000)
    return acceptMail(mail)
  }
  await runTick(world)
  world.answer = acceptMail
  expect(world.sent.length).toBeLessThan(6)
  await minute()
  await minute()
  expect(world.sent).toHaveLength(6)
})

test('a manual message is rejected until the report arrives, and then sent', async () => {
  await createDueCart({ contact: { ...contact, email: 'eve@shoppers.example.com' } })
  await minute()
  world.sent.length = 0
  await passTime(world, 10 * MINUTE, MINUTE)
  const cart = await world.db.selectFrom('carts').select('id').where('store_id', '=', shop.storeId).executeTakeFirst()
  const body = { to: 'eve@shoppers.example.com', cart_id: cart!.id }
  const store = { storeId: shop.storeId, token: shop.owner.token } as Parameters<typeof postWithWorker>[1]
  const ask = () => postWithWorker(world, store, '/api/email/send-email', body)
  expect(await ask()).toMatchObject({
    status: 422,
    body: { fields: { reason: expect.stringContaining('store_unreachable') } },
  })
  await minute()
  expect((await ask()).status).toBe(200)
})

const doctor = async () => {
  const { body } = await world.request('GET', '/api/stores/doctor', { token: shop.owner.token })
  return new Map<string, Check>(body.checks.map((check: Check) => [check.id, check]))
}

test('a plugin without stock reports holds its messages, and doctor, settings and message say to update it', async () => {
  await createDueCart({}, { isOld: true })
  await minute()
  await minute()
  expect(world.sent).toEqual([])
  expect(await first()).toEqual(['held', 'store_unreachable:plugin_outdated'])
  expect((await doctor()).get('plugin-reach')).toMatchObject({
    state: 'bad',
    nextStep: expect.stringMatching(/^Update the plugin/),
  })
  const { plugin } = (await world.request('GET', '/api/stores/plugin', { token: shop.owner.token })).body
  expect(plugin).toMatchObject({ isReached: false, isOutdated: true })
})

const listWakeReasons = () => shop.fake.pluginCalls.map(({ body }) => JSON.parse(body).reason)

test('a shop that stops answering is asked for reports at once, until it answers again', async () => {
  shop = await createUnreachableShop(world, { isReached: true })
  world.sent.length = 0
  await shop.beat()
  expect(shop.request).toMatchObject({ everyS: 3_600, ordersSince: null, goods: [] })
  await abandonCart()
  shop.fake.problem = buildProblem('plain_permalinks')
  await passTime(world, 2 * HOUR - 30_000, HOUR)
  await passTime(world, 2 * MINUTE, 10_000)
  expect(await first()).toEqual(['held', 'store_unreachable:orders_unreported'])
  expect(listWakeReasons()).toContain('check')

  // The wake-up's heartbeat, and that of the task.
  expect(await shop.beat()).toBe(2)
  await runTick(world)
  expect(world.sent).toHaveLength(1)
  for (let count = 0; count < 20; count++) {
    await minute()
    expect(shop.request).toMatchObject({ everyS: 60, ordersSince: expect.any(String) })
  }
  const { plugin } = (await world.request('GET', '/api/stores/plugin', { token: shop.owner.token })).body
  expect(plugin).toMatchObject({ isReached: false, reason: expect.stringContaining('Post name') })

  shop.fake.problem = null
  for (let count = 0; count < 11; count++) await minute()
  expect(shop.request).toMatchObject({ everyS: 3_600, ordersSince: null })
})

test('a shop whose orders alone are unreadable reports them as well', async () => {
  shop = await createUnreachableShop(world, { isReached: true })
  world.sent.length = 0
  shop.fake.orders = () => {
    throw buildProblem('store_error')
  }
  await abandonCart()
  await passTime(world, 2 * HOUR - 30_000, HOUR)
  await passTime(world, 2 * MINUTE, 10_000)
  await shop.beat()
  await runTick(world)
  await minute()
  expect(world.sent).toHaveLength(1)
  expect(shop.request.everyS).toBe(60)
})

test('the answer to a cart or order requests the heartbeat if the wake-up cannot arrive', async () => {
  await createDueCart()
  await passTime(world, 5 * MINUTE, MINUTE)
  const send = async () => (await shop.batch([{ seq: ++seq, type: 'test', test: 'f'.repeat(32) }])).body.beat
  expect(await send()).toBe(true)
  await shop.beat()
  expect(await send()).toBe(false)
})

test('one failed reading only makes the plugin call again within a minute', async () => {
  shop = await createUnreachableShop(world, { isReached: true })
  shop.fake.problem = buildProblem('timeout')
  await checkOrders(world.deps, { storeId: shop.storeId, db: world.db })
  await shop.beat()
  expect(shop.request).toMatchObject({ everyS: 60, ordersSince: null })
  shop.fake.problem = null
  world.advance(MINUTE)
  await checkOrders(world.deps, { storeId: shop.storeId, db: world.db })
  await shop.beat()
  expect(shop.request).toMatchObject({ everyS: 3_600, ordersSince: null })
})

test('a plugin without stock reports sends again as soon as the shop is reached', async () => {
  await createDueCart({}, { isOld: true })
  await minute()
  shop.fake.problem = null
  await passTime(world, 2 * MINUTE, 10_000)
  // Shops of earlier tests are reached as well.
  expect((await messages()).map(({ sending_at: at }) => at !== null)).toEqual([true, false, false])
})
