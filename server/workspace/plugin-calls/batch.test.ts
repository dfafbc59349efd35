import { beforeEach, expect, test } from 'vitest'
import { buildConsentBox } from '../../../test/consent-boxes.ts'
import { buildOrder } from '../../../test/factories.ts'
import {
  buildCartEntry,
  buildWireOrder,
  createCartToken,
  createPluginShop,
  type PluginShop,
} from '../../../test/plugin-shop.ts'
import { createWorld } from '../../../test/world.ts'
import { foldStalePosts } from '../../carts/capture/capture-intake.ts'
import { recordOrders } from '../../carts/carts/record.ts'

// Carts and orders reported by the plugin (decisions 104 and 105; S6, S7, X5). Each test has its own shop.

const world = createWorld()
const HOUR = 3_600_000
let shop: PluginShop

beforeEach(async () => {
  shop = await createPluginShop(world)
  world.queued.length = 0
})

const readRows = (table: 'facts' | 'consents' | 'orders' | 'unconfirmed_contacts') =>
  world.db.selectFrom(table).selectAll().where('store_id', '=', shop.storeId).execute()

const carts = () =>
  world.db
    .selectFrom('carts')
    .selectAll()
    .where('store_id', '=', shop.storeId)
    .where('status', '<>', 'merged')
    .orderBy('started_at')
    .execute()

const line = (product: string, quantity = 1, more = {}) => ({
  product,
  variation: null,
  quantity,
  name: `Product ${product}`,
  sku: null,
  price: '10.00',
  choices: [],
  ...more,
})

test("a cart has the shop's own names, prices and customer, not those of the catalogue (X5)", async () => {
  await world.db
    .insertInto('products')
    .values({
      store_id: shop.storeId,
      product_id: '16',
      variation_id: '',
      name: 'Old name',
      price_minor: 9_900,
      currency: 'USD',
      is_available: true,
      seen_at: world.now,
    })
    .execute()
  const entry = buildCartEntry({
    lines: [
      line('16', 2, { name: 'Tea, for members', price: '7.25', image: 'https://shop.example.com/tea.png' }),
      line('30', 1, { variation: '31', choices: [{ name: 'Size', value: 'Large' }] }),
    ],
    coupons: ['WELCOME'],
    contact: {
      email: 'Ada@Shoppers.example.com',
      phone: '(212) 555-0123',
      firstName: 'Ada',
      country: 'US',
      state: 'NY',
    },
    geo: { country: 'US', city: 'Albany' },
    agent: 'phone',
  })
  expect(await shop.batch([{ seq: 1, ...entry }])).toMatchObject({
    status: 200,
    body: { done: [1], refused: [] },
    isSigned: true,
  })
  const [cart] = await carts()
  expect(cart).toMatchObject({
    status: 'active',
    email: 'ada@shoppers.example.com',
    phone: '+12125550123',
    customer_name: 'Ada',
    value_minor: 2_450,
    currency: 'USD',
    coupons: ['welcome'],
    items: [
      { productId: '16', name: 'Tea, for members', unitPriceMinor: 725, imageUrl: 'https://shop.example.com/tea.png' },
      { productId: '30', variationId: '31', choices: [{ name: 'Size', value: 'Large' }] },
    ],
  })
  const [fact] = await readRows('facts')
  expect(fact).toMatchObject({
    source: 'plugin',
    payload: { zone: { city: 'Albany', country: 'United States' }, deviceClass: 'phone' },
  })
  const store = await world.db
    .selectFrom('stores')
    .select('capture_seen_at')
    .where('id', '=', shop.storeId)
    .executeTakeFirstOrThrow()
  expect(store.capture_seen_at).toEqual(world.now)
})

test('a repeated or duplicated entry, or one with a lost answer, changes nothing (S7)', async () => {
  const entry = { seq: 5, ...buildCartEntry({ contact: { email: 'ada@shoppers.example.com' } }) }
  await shop.batch([entry])
  const before = [await readRows('facts'), await carts()]
  for (let n = 0; n < 3; n++) {
    expect((await shop.batch([entry])).body).toMatchObject({ done: [5], refused: [] })
  }
  expect([await readRows('facts'), await carts()]).toEqual(before)
})

test('an unchanged state is not stored, and does not bring back an outdated one (S7)', async () => {
  const cart = createCartToken()
  const of = (seq: number, product: string) => ({ seq, ...buildCartEntry({ cart, lines: [line(product)] }) })
  await shop.batch([of(3, '16')])
  await shop.batch([of(9, '16')])
  expect(await readRows('facts')).toHaveLength(1)
  expect((await shop.batch([of(6, '99')])).body).toMatchObject({ done: [6] })
  expect((await carts()).map(({ items }) => items[0]!.productId)).toEqual(['16'])
})

test('the entry with the higher number is the later one, in any order of arrival', async () => {
  const cart = createCartToken()
  const of = (seq: number, product: string) => ({ seq, ...buildCartEntry({ cart, lines: [line(product)] }) })
  await shop.batch([of(8, '30')])
  await shop.batch([of(2, '16')])
  await shop.batch([of(5, '17')])
  const [only, ...others] = await carts()
  expect(others).toEqual([])
  expect(only!.items[0]!.productId).toBe('30')
  expect(await readRows('facts')).toHaveLength(3)
})

test('of two states within a second the later one counts, despite ages in whole seconds (S7)', async () => {
  const cart = createCartToken()
  const of = (seq: number, product: string, age = 0) => ({
    seq,
    age,
    ...buildCartEntry({ cart, lines: [line(product)] }),
  })
  const states = async () => {
    const rows = await readRows('facts')
    return rows
      .toSorted((a, b) => a.at.getTime() - b.at.getTime())
      .map(({ unique_key }) => unique_key.split(':').at(-1))
  }
  // The first one was in flight for most of a second; the second one waited for its answer and reports an age of one
  // second.
  await shop.batch([of(1, '16')])
  world.advance(400)
  await shop.batch([of(2, '17', 1)])
  expect((await carts()).map(({ items }) => items[0]!.productId)).toEqual(['17'])
  // Two in one call, and an outdated one.
  world.advance(400)
  await shop.batch([of(5, '19', 1), of(4, '18', 1)])
  await shop.batch([of(3, '30', 0)])
  expect((await carts()).map(({ items }) => items[0]!.productId)).toEqual(['19'])
  expect(await states()).toEqual(['1', '2', '3', '4', '5'])
})

test("a later state of another cart of the same person does not change the order of this cart's states (S7)", async () => {
  const [one, two] = [createCartToken(), createCartToken()]
  const contact = { email: 'ada@shoppers.example.com' }
  const of = (seq: number, cart: string, product: string, more = {}) => ({
    seq,
    ...buildCartEntry({ cart, lines: [line(product)], ...more }),
  })
  await shop.batch([of(1, one, '16', { contact })])
  await shop.batch([of(3, two, '30')])
  await shop.batch([of(4, two, '30', { contact })])
  await shop.batch([of(2, one, '17', { contact })])
  const facts = (await readRows('facts')).filter(({ unique_key }) => unique_key.includes(one))
  const [first, second] = facts.toSorted(
    (a, b) => (a.payload as { seq: number }).seq - (b.payload as { seq: number }).seq,
  )
  expect(second!.at.getTime()).toBeGreaterThan(first!.at.getTime())
})

test('a queue flushed after a day is dated by its own age, as are its effects', async () => {
  const at = new Date(world.now.getTime() - 26 * HOUR)
  await shop.batch([
    { seq: 1, ...buildCartEntry({ contact: { email: 'late@shoppers.example.com' } }), age: 26 * 3_600 },
  ])
  expect((await carts())[0]).toMatchObject({ started_at: at, last_activity_at: at })
  await shop.batch([{ seq: 2, ...buildCartEntry(), age: 90 * 86_400 }])
  expect((await carts())[0]!.started_at).toEqual(new Date(world.now.getTime() - 8 * 24 * HOUR))
})

test('an emptied cart ends, and an order is known at once and ends its cart', async () => {
  const cart = createCartToken()
  await shop.batch([{ seq: 1, ...buildCartEntry({ cart }) }])
  world.advance(60_000)
  const order = { type: 'order', order: buildWireOrder(world), cart, event: 'placed' }
  const reply = await shop.batch([
    { seq: 2, ...order },
    { seq: 3, ...buildCartEntry({ cart: createCartToken(), lines: [] }) },
  ])
  expect(reply.body).toMatchObject({ done: [2, 3] })
  expect(await carts()).toMatchObject([{ status: 'purchased', email: 'ada@shoppers.example.com' }])
  expect(await readRows('orders')).toMatchObject([{ order_id: '501', kind: 'purchase', total_minor: 3_900 }])
  // The pull reads the same order, which is already known.
  const facts = (await readRows('facts')).length
  await shop.batch([{ seq: 4, ...order }])
  expect(await readRows('facts')).toHaveLength(facts)
})

test('a draft of the checkout joins its cart, as do script posts of the same person (S6)', async () => {
  const cart = createCartToken()
  await shop.batch([{ seq: 1, ...buildCartEntry({ cart, draft: '77' }) }])
  world.advance(5_000)
  const draft = buildOrder(world, { orderId: '77', kind: 'draft', status: 'checkout-draft', email: null, phone: null })
  await recordOrders(world.deps, shop.storeId, [draft], 'webhook')
  expect(await carts()).toHaveLength(1)
  await shop.batch([
    { seq: 2, ...buildCartEntry({ cart, draft: '77', contact: { email: 'both@shoppers.example.com' } }) },
  ])
  const { capture_key: key } = await world.db
    .selectFrom('stores')
    .select('capture_key')
    .where('id', '=', shop.storeId)
    .executeTakeFirstOrThrow()
  world.advance(5_000)
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${key}`,
    headers: { origin: shop.home, 'content-type': 'text/plain' },
    payload: JSON.stringify({
      cart: 'script'.padEnd(20, 'x'),
      page: 'page'.padEnd(12, 'x'),
      seq: 0,
      contact: { email: 'both@shoppers.example.com' },
      items: [{ id: '16', quantity: 2 }],
    }),
  })
  expect(reply.statusCode).toBe(204)
  await foldStalePosts(world.deps, 0)
  const all = await carts()
  expect(all).toHaveLength(1)
  expect(all[0]).toMatchObject({ email: 'both@shoppers.example.com', items: [{ name: 'Earl Grey' }] })
})

test('a signed-in shopper is one person on all devices, without typing anything', async () => {
  await shop.batch([{ seq: 1, ...buildCartEntry({ customer: { id: '12', lastActive: null } }) }])
  await shop.batch([{ seq: 2, ...buildCartEntry({ customer: { id: '12', lastActive: null }, lines: [line('30')] }) }])
  expect(await carts()).toHaveLength(1)
  await world.db
    .insertInto('customers')
    .values({ store_id: shop.storeId, customer_id: '12', seen_at: world.now } as never)
    .execute()
  const seconds = Math.floor(world.now.getTime() / 1_000) - 60
  await shop.batch([{ seq: 3, ...buildCartEntry({ customer: { id: '12', lastActive: seconds } }) }])
  const row = await world.db
    .selectFrom('customers')
    .select('last_login_at')
    .where('store_id', '=', shop.storeId)
    .executeTakeFirstOrThrow()
  expect(row.last_login_at).toEqual(new Date(seconds * 1_000))
})

test('the server limits new contacts of a network by the hour of entry, but not a flush of many shoppers (X5)', async () => {
  const typed = (n: number, more = {}) =>
    buildCartEntry({ contact: { email: `shopper-${n}@shoppers.example.com` }, client: 'd'.repeat(22), ...more })
  for (const part of [0, 1]) {
    await shop.batch([...Array(13).keys()].map((n) => ({ seq: part * 13 + n + 1, ...typed(part * 13 + n) })))
  }
  expect(await readRows('unconfirmed_contacts')).toHaveLength(6)
  // An hour earlier, another limit applies; other networks have their own.
  await shop.batch([{ seq: 40, ...typed(40), age: 2 * 3_600 }])
  await shop.batch(
    [...Array(50).keys()].map((n) => ({ seq: 50 + n, ...typed(100 + n, { client: String(n).padStart(22, '0') }) })),
  )
  await shop.batch(
    [...Array(50).keys()].map((n) => ({ seq: 150 + n, ...typed(200 + n, { client: String(n).padStart(22, 'a') }) })),
  )
  expect(await readRows('unconfirmed_contacts')).toHaveLength(6)
})

test('a ticked box is stored in the ledger with its text and time, like one on a page (C5)', async () => {
  const cart = createCartToken()
  const email = buildConsentBox('email', true, 'Mugs & More')
  const contact = { email: 'box@shoppers.example.com', country: 'US' }
  await shop.batch([{ seq: 1, ...buildCartEntry({ cart, contact, consent: { email } }), age: 600 }])
  expect(await readRows('consents')).toMatchObject([
    {
      channel: 'email',
      status: 'granted',
      wording: email.wording,
      evidence: { unproven: 'page script' },
      at: new Date(world.now.getTime() - 600_000),
    },
  ])
  // Text that does not match the id sent with it is not ours.
  await shop.batch([
    {
      seq: 2,
      ...buildCartEntry({
        contact: { email: 'odd@shoppers.example.com' },
        consent: { email: { ...email, wording: 'Free tea!' } },
      }),
    },
  ])
  expect(await readRows('consents')).toHaveLength(1)
})

test('the next report of the same cart does not undo an unsubscribe by link', async () => {
  const cart = createCartToken()
  const email = buildConsentBox('email', true, 'Mugs & More')
  const entry = { cart, contact: { email: 'gone@shoppers.example.com', country: 'US' }, consent: { email } }
  await shop.batch([{ seq: 1, ...buildCartEntry(entry) }])
  world.advance(60_000)
  const [granted] = await readRows('consents')
  const withdrawn = {
    ...granted!,
    id: crypto.randomUUID(),
    status: 'withdrawn' as const,
    at: world.now,
    evidence: null,
  }
  await world.db
    .insertInto('consents')
    .values(withdrawn as never)
    .execute()
  world.advance(60_000)
  await shop.batch([{ seq: 2, ...buildCartEntry({ ...entry, lines: [line('30')] }) }])
  expect((await readRows('consents')).map(({ status }) => status).sort()).toEqual(['granted', 'withdrawn'])
  // Nor does a late opt-in from before it.
  await shop.batch([{ seq: 3, ...buildCartEntry({ ...entry, cart: createCartToken() }), age: 100 }])
  expect(await readRows('consents')).toHaveLength(2)
  // A new tick in another cart, by the person, does.
  await shop.batch([{ seq: 4, ...buildCartEntry({ ...entry, cart: createCartToken() }) }])
  expect((await readRows('consents')).filter(({ status }) => status === 'granted')).toHaveLength(2)
})

test('a signed-in customer withdraws a consent in My account; it is unproven until they buy with the address', async () => {
  const yes = buildConsentBox('email', true, 'Mugs & More')
  const consent = (isGiven: boolean) => ({
    type: 'consent',
    customer: { id: '12' },
    contact: { email: 'mine@shoppers.example.com', country: 'US' },
    consent: { email: { ...yes, isGiven } },
  })
  const steps: [boolean, { unproven?: string; customerId?: string }][] = [
    [true, { unproven: 'account page', customerId: '12' }],
    [false, { unproven: 'account page' }],
    [true, { customerId: '12' }],
  ]
  const bought = (more: object) =>
    recordOrders(world.deps, shop.storeId, [buildOrder(world, { kind: 'purchase', customerId: '12', ...more })], 'sync')
  await bought({ email: 'other@shoppers.example.com' })
  for (const [place, [isGiven, evidence]] of steps.entries()) {
    if (!evidence.unproven) await bought({ email: 'mine@shoppers.example.com' })
    world.advance(60_000)
    await shop.batch([{ seq: place + 1, ...consent(isGiven) }])
    const row = (await readRows('consents')).toSorted((a, b) => a.at.getTime() - b.at.getTime()).at(-1)!
    expect({ isGiven: row.status === 'granted', evidence: row.evidence, source: row.source }).toEqual({
      isGiven,
      evidence,
      source: evidence.unproven ? 'account page, unconfirmed' : 'account page',
    })
  }
})

test("a purchase with the address proves the customer's own earlier consent in My account, and no one else's", async () => {
  const yes = buildConsentBox('email', true, 'Mugs & More')
  const consent = (customer: string, email: string, isGiven = true) => ({
    type: 'consent',
    customer: { id: customer },
    contact: { email, country: 'US' },
    consent: { email: { ...yes, isGiven } },
  })
  const [mine, other, deleted] = ['mine', 'other', 'gone'].map((name) => `${name}@shoppers.example.com`)
  await shop.batch([
    { seq: 1, ...consent('12', mine!) },
    { seq: 2, ...consent('13', other!) },
    { seq: 3, ...consent('12', deleted!) },
  ])
  world.advance(60_000)
  await shop.batch([{ seq: 4, ...consent('12', deleted!, false) }])
  const before = await readRows('consents')
  const hash = world.deps.secrets.addressHash(mine!)
  const first = before.find(({ address_hash }) => address_hash.equals(hash))!
  for (const email of [mine, other, deleted]) {
    const orders = [0, 1].map(() => buildOrder(world, { kind: 'purchase', customerId: '12', email: email! }))
    await recordOrders(world.deps, shop.storeId, orders, 'sync')
  }
  const known = new Set(before.map(({ id }) => id))
  expect((await readRows('consents')).filter(({ id }) => !known.has(id))).toEqual([
    expect.objectContaining({
      address_hash: hash,
      status: 'granted',
      source: 'account page',
      wording: yes.wording,
      evidence: { customerId: '12' },
      at: first.at,
      who: first.who,
    }),
  ])
})

test('the answer reports changed box texts', async () => {
  const first = (await shop.batch([{ seq: 1, ...buildCartEntry() }])).body.settings
  const body = { channel: 'email', words: 'Write to me about my cart.' }
  expect((await world.request('PUT', '/api/consent/boxes', { token: shop.owner.token, body })).status).toBe(200)
  expect(world.queued.map(({ name }) => name)).toContain('plugin.wake')
  const second = (await shop.batch([{ seq: 2, ...buildCartEntry() }])).body.settings
  expect(second).toMatch(/^[\w-]{22}$/)
  expect(second).not.toBe(first)
})
