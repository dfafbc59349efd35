import { beforeEach, expect, test } from 'vitest'
import { createConnectedStore } from '../../../test/connected-store.ts'
import { buildOrder, buildProblem, buildProduct } from '../../../test/fake-store.ts'
import { postWithWorker } from '../../../test/manual-send-scene.ts'
import {
  DAY,
  HOUR,
  listStepDecisions,
  listStepStates,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { detectAbandoned } from '../../carts/carts/detect.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { buildGoodsKey, readGoods, refreshGoods } from '../../carts/sync/goods.ts'
import { pullProducts } from '../../carts/sync/local-copies.ts'
import type { PlatformProduct } from '../../platforms/platform/platform.ts'
import { createRestoreToken } from '../compose/compose.ts'

// Stock and prices are read with the order check (D3): sold-out items are marked, and changed prices are shown.

const world = createWorld()
beforeEach(() => {
  world.sent.length = 0
  world.queued.length = 0
})

const line = (productId: string, name: string, unitPriceMinor: number, quantity = 1) => ({
  productId,
  variationId: null,
  name,
  sku: null,
  quantity,
  unitPriceMinor,
  imageUrl: null,
})
const mug = line('16', 'Enamel Mug', 1_800, 2)
const lamp = line('17', 'Brass Lamp', 6_400)

/** A shopper left a mug twice and a lamp an hour ago; the catalogue was copied before. */
async function createShop(isFlowOn = true) {
  const connected = await createConnectedStore(world)
  const { storeId, owner, fake } = connected
  const sender = { sender_name: 'Mugs & More', postal_address: '1 Main Street', selling_countries: ['US'] }
  await world.db.updateTable('stores').set(sender).where('id', '=', storeId).execute()
  const flow = await world.db.selectFrom('flows').select('id').where('store_id', '=', storeId).executeTakeFirstOrThrow()
  if (isFlowOn)
    await world.request('POST', `/api/flows/${flow.id}/switch`, { token: owner.token, body: { isOn: true } })
  fake.allProducts = [mug, lamp].map(({ productId, name, unitPriceMinor }) =>
    buildProduct({ productId, name, priceMinor: unitPriceMinor }),
  )
  await pullProducts(world.deps, { storeId })
  fake.allOrders = [
    buildOrder({ orderId: '1000', modifiedAt: world.now.toISOString(), items: [mug, lamp], totalMinor: 10_000 }),
  ]
  await recordOrders(world.deps, storeId, fake.allOrders, 'sync')
  world.advance(isFlowOn ? HOUR : DAY)
  await detectAbandoned(world.deps)
  return connected
}

const mail = () => world.sent[0]! as { html: string; text: string }

test('a new price includes the same tax when the shop shows prices other than entered', async () => {
  const { storeId, fake } = await createShop()
  const store = { storeId, db: world.db }
  await world.db
    .updateTable('stores')
    .set({ prices_include_tax: false, shows_tax: true })
    .where('id', '=', storeId)
    .execute()
  // The carts were captured at the shown price.
  fake.allProducts = [mug, lamp].map(({ productId, name, unitPriceMinor }) =>
    buildProduct({ productId, name, priceMinor: unitPriceMinor, enteredMinor: unitPriceMinor - 400 }),
  )
  world.advance(1_000)
  await pullProducts(world.deps, { storeId, isFull: true })
  const requested = [mug, lamp].map(({ productId, variationId }) => ({ productId, variationId }))
  const read = async (mugMinor: number) => {
    fake.terms = async () =>
      requested.map((item, at) => ({
        ...item,
        isAvailable: true,
        stockQuantity: null,
        priceMinor: [mugMinor, 6_000][at]!,
      }))
    const goods = await readGoods(world.deps, store, requested, { isChecked: true })
    if (!('terms' in goods)) throw new Error(goods.problem)
    return requested.map((item) => goods.terms.get(buildGoodsKey(item)))
  }
  expect(await read(1_400)).toMatchObject([
    { priceMinor: 1_800, enteredMinor: 1_400, wasMinor: null },
    { priceMinor: 6_400, enteredMinor: 6_000, wasMinor: null },
  ])
  expect(await read(2_800)).toMatchObject([{ priceMinor: 3_600, enteredMinor: 2_800, wasMinor: 1_800 }, {}])
  await sendDueMessages(world, storeId)
  expect(mail().text).toContain('2 × Enamel Mug: $72.00')
  expect(mail().text).toContain('1 × Brass Lamp: $64.00')
})

test('message and restore page keep the price with tax when the shop does not report what it shows', async () => {
  const { storeId, fake } = await createShop()
  const list = async (rows: Partial<PlatformProduct>[]) => {
    fake.allProducts = rows.map((row, at) => buildProduct({ productId: ['16', '17', '18'][at]!, ...row }))
    world.advance(1_000)
    await pullProducts(world.deps, { storeId, isFull: true })
    const copies = world.db.selectFrom('products').select(['price_minor', 'entered_minor', 'was_price_minor'])
    return copies.where('store_id', '=', storeId).orderBy('product_id').execute()
  }
  const row = (price_minor: number, entered_minor: number | null, was_price_minor: number | null = null) => ({
    price_minor,
    entered_minor,
    was_price_minor,
  })
  const listed = [
    { priceMinor: 1_800, enteredMinor: 1_500 },
    { priceMinor: 6_400, enteredMinor: 6_000 },
  ]
  const isDisplayedUnknown = true as const
  const unlisted = { priceMinor: 900, isDisplayedUnknown }
  expect(await list([...listed, unlisted])).toEqual([row(1_800, 1_500), row(6_400, 6_000), row(900, null)])
  const [mugAgain, lampRaised] = [1_500, 7_500].map((priceMinor) => ({
    priceMinor,
    isDisplayedUnknown,
  }))
  expect(await list([mugAgain!, lampRaised!, unlisted])).toEqual([
    row(1_800, 1_500),
    row(8_000, 7_500, 6_400),
    row(900, null),
  ])
  fake.prices.set('16:', 1_500).set('17:', 7_500)
  await sendDueMessages(world, storeId)
  expect(mail().text).toContain('2 × Enamel Mug: $36.00')
  expect(mail().text).toContain('1 × Brass Lamp: $80.00')
  const sent = (await readMessages(world, storeId)).find(({ state }) => state === 'sent')!
  const restored = await world.request('POST', `/api/carts/${createRestoreToken(world.deps.secrets, sent.id)}/restore`)
  expect(restored.body.items).toMatchObject([
    { product_id: '16', price: 18, outcome: 'ok' },
    { product_id: '17', price: 80, outcome: 'price_changed' },
  ])
})

test('only a shop without the plugin is asked for its shown prices, if they differ from the entered ones', async () => {
  const { storeId, fake } = await createShop()
  const requested: (string | undefined)[] = []
  const { products } = fake
  fake.products = async function* (query) {
    requested.push(await query.readDisplayedTax?.())
    yield* products(query)
  }
  const read = async (prices_include_tax: boolean | null, shows_tax: boolean) => {
    await world.db.updateTable('stores').set({ prices_include_tax, shows_tax }).where('id', '=', storeId).execute()
    await pullProducts(world.deps, { storeId })
  }
  await read(false, true)
  await read(true, false)
  await read(true, true)
  await read(null, true)
  const plugin = { encrypted_secret: Buffer.from('secret'), install: 'shop', version: '1', connected_at: world.now }
  await world.db
    .insertInto('plugin_connections')
    .values({ store_id: storeId, ...plugin })
    .execute()
  await read(false, true)
  expect(requested).toEqual(['added', 'taken_off', 'none', 'unknown', 'unknown'])
})

test('one request reads the items of all due messages', async () => {
  const { storeId, fake } = await createShop()
  await sendDueMessages(world, storeId)
  expect(fake.termQueries).toEqual([
    [
      { productId: '16', variationId: null },
      { productId: '17', variationId: null },
    ],
  ])
  expect(mail().text).toContain('2 × Enamel Mug: $36.00')
  expect(mail().text).toContain('1 × Brass Lamp: $64.00')
})

test('an item sold out a minute ago is shown as sold out, without price and not in the total', async () => {
  const { storeId, fake } = await createShop()
  fake.deletedKeys.add('17:')
  await sendDueMessages(world, storeId)
  expect(mail().text).toContain('Brass Lamp: Sold out')
  expect(mail().html).toContain('Sold out')
  expect(mail().text).not.toContain('$64.00')
  expect(mail().html).not.toContain('$100.00')
  expect(mail().html).toContain('$36.00')
  const copy = world.db.selectFrom('products').select('is_available').where('store_id', '=', storeId)
  expect(await copy.where('product_id', '=', '17').executeTakeFirst()).toEqual({ is_available: false })
})

test('a mail without available items is skipped with the reason, and the next step is checked again (D2: items_gone)', async () => {
  const { storeId, fake } = await createShop()
  fake.deletedKeys.add('16:').add('17:')
  await sendDueMessages(world, storeId)
  expect(world.sent).toEqual([])
  expect((await listStepStates(world, storeId))[0]).toBe('skipped(items_gone)')
  expect(await listStepDecisions(world, storeId)).toEqual(['skip items_gone'])
  fake.deletedKeys.clear()
  world.advance(DAY)
  await sendDueMessages(world, storeId)
  expect(world.sent).toHaveLength(1)
})

test('a changed price is shown, also in the total', async () => {
  const { storeId, fake } = await createShop()
  fake.prices.set('17:', 4_900)
  await sendDueMessages(world, storeId)
  expect(mail().text).toContain('1 × Brass Lamp: $49.00')
  expect(mail().html).toContain('$85.00')
  // The copy of the catalogue has it now; the next mail shows the same.
  world.sent.length = 0
  world.advance(DAY)
  await sendDueMessages(world, storeId)
  expect(mail().text).toContain('1 × Brass Lamp: $49.00')
})

test('a price from an extra or an offer stays unchanged', async () => {
  const { storeId, fake } = await createShop()
  await world.db.updateTable('products').set({ price_minor: 6_000 }).where('store_id', '=', storeId).execute()
  fake.prices.set('17:', 4_900)
  await sendDueMessages(world, storeId)
  expect(mail().text).toContain('1 × Brass Lamp: $64.00')
})

test('unreadable stock holds all messages with the reason and pauses the requests (D3)', async () => {
  const { storeId, fake } = await createShop()
  fake.termsProblem = buildProblem('store_error', 'out of memory')
  await sendDueMessages(world, storeId)
  expect(world.sent).toEqual([])
  const [first] = await readMessages(world, storeId)
  expect(first).toMatchObject({ state: 'held', reason: 'store_unreachable:store_error' })
  expect(first!.wake_at.getTime() - world.now.getTime()).toBe(5_000)
  fake.termsProblem = null
  world.advance(5_000)
  await sendDueMessages(world, storeId)
  expect(world.sent).toHaveLength(1)
})

test('a store that times out on stock but not on orders is asked at growing intervals', async () => {
  const { storeId, fake } = await createShop()
  fake.termsProblem = buildProblem('timeout')
  const waits: number[] = []
  for (let n = 0; n < 8; n++) {
    await sendDueMessages(world, storeId)
    const [first] = await readMessages(world, storeId)
    expect(first).toMatchObject({ state: 'held', reason: 'store_unreachable:timeout' })
    waits.push((first!.wake_at.getTime() - world.now.getTime()) / 1_000)
    world.now = first!.wake_at
  }
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300])
  expect(fake.termQueries).toHaveLength(8)
  expect(world.sent).toEqual([])
  fake.termsProblem = null
  await sendDueMessages(world, storeId)
  expect(world.sent).toHaveLength(1)
  const state = world.db.selectFrom('sync_state').select(['failures', 'error_code']).where('store_id', '=', storeId)
  expect(await state.where('stream', '=', 'goods_check').executeTakeFirst()).toEqual({ failures: 0, error_code: null })
})

test('messages due during a pause of stock requests are held without a request', async () => {
  const { storeId, fake } = await createShop()
  fake.termsProblem = buildProblem('timeout')
  await sendDueMessages(world, storeId)
  fake.allOrders.push(
    buildOrder({ orderId: '1001', modifiedAt: world.now.toISOString(), items: [mug], totalMinor: 3_600 }),
  )
  await recordOrders(world.deps, storeId, fake.allOrders, 'sync')
  await world.db
    .updateTable('messages')
    .set({ wake_at: world.now })
    .where('store_id', '=', storeId)
    .where('step', '=', 1)
    .execute()
  world.advance(1_000)
  await sendDueMessages(world, storeId)
  expect(fake.termQueries).toHaveLength(1)
  expect((await readMessages(world, storeId))[0]!.wake_at.getTime() - world.now.getTime()).toBe(4_000)
})

test('a store whose order check fails is not asked for stock', async () => {
  const { storeId, fake } = await createShop()
  fake.problem = buildProblem('timeout')
  await sendDueMessages(world, storeId)
  expect(fake.termQueries).toEqual([])
  expect((await listStepStates(world, storeId))[0]).toBe('held(store_unreachable:timeout)')
})

test('a manual message about a cart without available items is refused with the reason (D11)', async () => {
  const { storeId, fake, owner } = await createShop(false)
  fake.deletedKeys.add('16:').add('17:')
  const cart = await world.db
    .selectFrom('carts')
    .select(['id', 'email'])
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  const store = { storeId, token: owner.token } as Parameters<typeof postWithWorker>[1]
  const reply = await postWithWorker(world, store, '/api/email/send-email', { to: cart.email, cart_id: cart.id })
  expect(reply).toMatchObject({ status: 422, body: { fields: { reason: 'items_gone' } } })
  expect(world.sent).toEqual([])
})

test('a shop that fails on the restore page is still asked for stock with the next message', async () => {
  const { storeId, fake } = await createShop()
  const store = { storeId, db: world.db }
  fake.termsProblem = buildProblem('store_error')
  await refreshGoods(world.deps, store, [mug])
  const failures = () =>
    world.db
      .selectFrom('sync_state')
      .select('error_code')
      .where('store_id', '=', storeId)
      .where('stream', '=', 'goods_check')
      .where('error_code', 'is not', null)
      .execute()
  expect(await failures()).toEqual([])
  fake.termsProblem = null
  await sendDueMessages(world, storeId)
  expect(world.sent).toHaveLength(1)
})
