import { beforeEach, describe, expect, test } from 'vitest'
import type { CaptureMode } from '../../../shared/shoppers/capture-mode.ts'
import { buildConsentBox } from '../../../test/consent-boxes.ts'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../carts/record.ts'
import { foldStorePosts } from './capture-intake.ts'
import { recordCustomerConsents, recordSignedPosts } from './signed-posts.ts'

// The data stored about a shopper before consent (C9), even if an older script or plugin sends more.

const world = createWorld()
const EMAIL = 'ada@shoppers.example.com'
const CART = 'cart-of-ada-0123456789'
let store: TestStore
let url: string
let n = 0

beforeEach(async () => {
  url = `https://modes-${++n}.example.com`
  store = await createStore(world, { url })
})

const setMode = (mode: CaptureMode | null) =>
  world.db.updateTable('stores').set({ before_consent: mode }).where('id', '=', store.storeId).execute()

let seq = 0
async function post(body: object) {
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${store.captureKey}`,
    headers: { origin: url, 'content-type': 'text/plain' },
    payload: JSON.stringify({ cart: CART, device: 'device-of-ada-012345', page: CART, seq: seq++, ...body }),
  })
  expect([reply.statusCode, reply.body]).toEqual([204, ''])
  world.advance(1_000)
}

const items = [{ id: '11', quantity: 1 }]
const contact = { email: EMAIL, phone: '+12125550177', firstName: 'Ada', country: 'US' }

/** Everything stored about the shopper: keys, facts, carts, inbox. */
async function readEverythingStored(): Promise<string> {
  const of = (table: 'shopper_keys' | 'facts' | 'carts' | 'capture_inbox' | 'shoppers' | 'orders') =>
    world.db.selectFrom(table).selectAll().where('store_id', '=', store.storeId).execute()
  return JSON.stringify(
    await Promise.all((['shopper_keys', 'facts', 'carts', 'capture_inbox', 'shoppers', 'orders'] as const).map(of)),
  )
}

const foldPosts = () => foldStorePosts(world.deps, { storeId: store.storeId, db: world.db })

const report = (more: object = {}, customerId: string | null = null) =>
  recordSignedPosts(
    world.deps,
    { id: store.storeId, home_url: url },
    {
      install: 'install-of-the-shop',
      posts: [
        {
          at: world.now,
          client: null,
          post: {
            cart: CART,
            page: 'install-of-the-shop',
            seq: ++seq,
            coupons: [],
            contact,
            device: 'device-of-ada-012345',
            ...more,
            signed: {
              items: [{ productId: '11', variationId: null, quantity: 1 }],
              currency: 'USD',
              customerId,
              state: null,
              draftId: null,
            },
          },
        },
      ],
    },
  )

describe('a page', () => {
  test.each(['cart_and_contact', null] as const)('%s: keeps posts unchanged', async (mode) => {
    await setMode(mode)
    await post({ items, contact })
    await expect.poll(readEverythingStored).toContain(EMAIL)
  })

  test('nothing: stores no row until the shopper consents', async () => {
    await setMode('nothing')
    await post({ items })
    await post({ items, contact })
    await foldPosts()
    expect(await readEverythingStored()).toBe('[[],[],[],[],[],[]]')
    await post({ items, contact, agreed: true })
    await expect.poll(readEverythingStored).toContain(EMAIL)
  })

  test('cart only: keeps the products without contact and device', async () => {
    await setMode('cart_only')
    await post({ items, contact })
    await expect.poll(readEverythingStored).toContain(CART)
    for (const word of [EMAIL, '12125550177', 'Ada', 'device-of-ada'])
      expect(await readEverythingStored()).not.toContain(word)
  })

  test('cart only: a ticked box releases its own contact and nothing else', async () => {
    await setMode('cart_only')
    await post({ items })
    await post({ contact, consent: { email: buildConsentBox('email') } })
    await expect.poll(readEverythingStored).toContain(EMAIL)
    expect(await readEverythingStored()).not.toContain('12125550177')
    const rows = await world.db
      .selectFrom('consents')
      .select(['channel', 'status'])
      .where('store_id', '=', store.storeId)
      .execute()
    expect(rows).toEqual([{ channel: 'email', status: 'granted' }])
  })

  test.each([
    'nothing',
    'cart_only',
  ] as const)('%s: unticking a box is a withdrawal for the cart’s known address', async (mode) => {
    await setMode(mode)
    await post({ items, contact, consent: { email: buildConsentBox('email') } })
    await post({
      contact: { email: 'grace@shoppers.example.com' },
      consent: { email: buildConsentBox('email', false) },
    })
    const rows = await world.db
      .selectFrom('consents')
      .select('status')
      .where('store_id', '=', store.storeId)
      .orderBy('at')
      .execute()
    expect(rows.map(({ status }) => status)).toEqual(['granted', 'withdrawn'])
    await foldPosts()
    expect(await readEverythingStored()).not.toContain('grace@')
  })

  test.each([
    ['nothing', '[[],[],[],[],[],[]]'],
    ['cart_only', null],
  ] as const)('%s: a tick beside an outdated text keeps no contact', async (mode, all) => {
    await setMode(mode)
    await post({ items, contact, consent: { email: { ...buildConsentBox('email'), id: 'w1abcdef' } } })
    await foldPosts()
    for (const word of [EMAIL, 'Ada', 'device-of-ada']) expect(await readEverythingStored()).not.toContain(word)
    if (all) expect(await readEverythingStored()).toBe(all)
  })

  test('the script gets the mode, or nothing for the default', async () => {
    const script = async () => (await world.app.inject({ url: `/capture/${store.captureKey}.js` })).body.split(';')[0]
    expect(await script()).not.toContain('mode')
    await setMode('nothing')
    expect(await script()).toContain('"mode":"nothing"')
  })
})

describe('the plugin', () => {
  test('nothing: an older plugin’s report stores no row', async () => {
    await setMode('nothing')
    await report()
    expect(await readEverythingStored()).toBe('[[],[],[],[],[],[]]')
    await report({ agreed: true })
    expect(await readEverythingStored()).toContain(EMAIL)
  })

  test('cart only: stores neither contact nor customer, except those of a customer who has bought (C6)', async () => {
    await setMode('cart_only')
    await report({}, '77')
    expect(await readEverythingStored()).toContain(CART)
    expect(await readEverythingStored()).not.toContain(EMAIL)
    await recordOrders(
      world.deps,
      store.storeId,
      [buildOrder(world, { kind: 'purchase', customerId: '77', email: EMAIL })],
      'sync',
    )
    await report({ contact: { ...contact, firstName: 'Adelaide' } }, '77')
    expect(await readEverythingStored()).toContain('Adelaide')
  })

  test('cart only: drops an address that a customer types if only their own is covered (C6)', async () => {
    await setMode('cart_only')
    await recordOrders(
      world.deps,
      store.storeId,
      [buildOrder(world, { kind: 'purchase', customerId: '77', email: EMAIL, phone: null })],
      'sync',
    )
    await report({ contact: { ...contact, email: 'friend@shoppers.example.com', firstName: 'Frida' } }, '77')
    for (const word of ['friend@', 'Frida']) expect(await readEverythingStored()).not.toContain(word)
    await report({ contact: { ...contact, email: EMAIL.toUpperCase(), firstName: 'Adelaide' } }, '77')
    expect(await readEverythingStored()).toContain('Adelaide')
    // The law covers emails to customers; there was no consent for the number.
    expect(await readEverythingStored()).not.toContain(contact.phone)
  })

  test.each([
    'nothing',
    'cart_only',
  ] as const)('%s: a tick with the id of another text keeps no contact', async (mode) => {
    await setMode(mode)
    await report({ consent: { email: { ...buildConsentBox('email'), id: 'w1abcdef' } } })
    expect(await readEverythingStored()).not.toContain(EMAIL)
    await report({ consent: { email: buildConsentBox('email') } })
    expect(await readEverythingStored()).toContain(EMAIL)
  })
})

describe('the plugin, for a customer who consented before', () => {
  const agree = (isGiven: boolean, customerId = '77') =>
    recordCustomerConsents(
      world.deps,
      { storeId: store.storeId, db: world.db },
      {
        contact: { email: EMAIL, customerId },
        said: [
          {
            channel: 'email',
            address: EMAIL,
            isGiven,
            wording: 'Yes',
            country: 'US',
            unproven: 'account page',
            customerId,
            answeredAt: world.now,
          },
        ],
      },
    )

  test.each(['nothing', 'cart_only'] as const)('%s: keeps the contact until a withdrawal', async (mode) => {
    await setMode(mode)
    await agree(true)
    await report({ contact: { ...contact, firstName: 'Adelaide' } }, '77')
    expect(await readEverythingStored()).toContain('Adelaide')
    expect(await readEverythingStored()).not.toContain('12125550177')
    world.advance(1_000)
    await agree(false)
    await report({ contact: { ...contact, firstName: 'Beatrice' } }, '77')
    expect(await readEverythingStored()).not.toContain('Beatrice')
  })

  test.each([
    'nothing',
    'cart_only',
  ] as const)('%s: keeps no address of a friend who consented until the customer consents for it', async (mode) => {
    await setMode(mode)
    await agree(true, '88')
    await report({ contact: { ...contact, firstName: 'Adelaide' } }, '77')
    for (const word of [EMAIL, 'Adelaide']) expect(await readEverythingStored()).not.toContain(word)
    await agree(true, '77')
    await report({ contact: { ...contact, firstName: 'Beatrice' } }, '77')
    expect(await readEverythingStored()).toContain('Beatrice')
  })

  test('keeps the address of an earlier order with a ticked box, for its customer only', async () => {
    await setMode('nothing')
    const consents = (['email', 'sms'] as const).map((channel) => ({ channel, wording: 'Yes' }))
    const order = { kind: 'purchase' as const, customerId: '77', email: EMAIL, phone: contact.phone, consents }
    await recordOrders(world.deps, store.storeId, [buildOrder(world, order)], 'sync')
    const friend = { email: 'grace@shoppers.example.com', firstName: 'Grace' }
    await report({ contact: { ...contact, ...friend } }, '88')
    expect(await readEverythingStored()).not.toContain('Grace')
    await report({ contact: { ...contact, firstName: 'Adelaide' } }, '77')
    expect(await readEverythingStored()).toContain('Adelaide')
    await report({ contact: { phone: contact.phone, firstName: 'Beatrice' } }, '77')
    expect(await readEverythingStored()).toContain('Beatrice')
  })

  test('keeps no contact of a shopper who is not signed in', async () => {
    await setMode('cart_only')
    await agree(true)
    await report({ contact: { ...contact, firstName: 'Adelaide' } })
    expect(await readEverythingStored()).not.toContain('Adelaide')
  })

  test('keeps no contact when the box is unticked with this cart', async () => {
    await setMode('cart_only')
    await agree(true)
    await report(
      { contact: { ...contact, firstName: 'Adelaide' }, consent: { email: buildConsentBox('email', false) } },
      '77',
    )
    expect(await readEverythingStored()).not.toContain('Adelaide')
  })
})

describe('unpaid orders', () => {
  const record = (more: object) =>
    recordOrders(
      world.deps,
      store.storeId,
      [buildOrder(world, { email: EMAIL, customerId: null, paidAt: null, ...more })],
      'sync',
    )

  test('a draft stores no row in mode nothing, and neither contact nor country in mode cart only', async () => {
    await setMode('nothing')
    await record({ kind: 'draft' })
    expect(await readEverythingStored()).toBe('[[],[],[],[],[],[]]')
    await setMode('cart_only')
    for (const kind of ['draft', 'pending']) await record({ kind, country: 'AT' })
    for (const word of [EMAIL, '"AT"']) expect(await readEverythingStored()).not.toContain(word)
    await record({ kind: 'draft', consents: [{ channel: 'email', wording: 'Yes' }] })
    expect(await readEverythingStored()).toContain(EMAIL)
  })

  test('a pending order of a known customer is kept by the customer only', async () => {
    await setMode('nothing')
    await record({ kind: 'purchase', orderId: '9100', customerId: '77', email: 'bo@shoppers.example.com' })
    await record({ kind: 'pending', orderId: '9101', customerId: '77' })
    const all = await readEverythingStored()
    expect([all.includes('9101'), all.includes(EMAIL)]).toEqual([true, false])
  })

  test('a pending order of an unknown shopper stores no row in mode nothing until it is paid', async () => {
    await setMode('nothing')
    await record({ kind: 'pending', orderId: '9200' })
    expect(await readEverythingStored()).toBe('[[],[],[],[],[],[]]')
    await record({ kind: 'purchase', orderId: '9200', paidAt: world.now.toISOString() })
    expect(await readEverythingStored()).toContain(EMAIL)
  })

  test('a pending order keeps a known address, so that no reminder follows, and drops others', async () => {
    await setMode('cart_only')
    await record({ kind: 'pending' })
    expect(await readEverythingStored()).not.toContain(EMAIL)
    await post({ items, contact, consent: { email: buildConsentBox('email') } })
    await expect.poll(readEverythingStored).toContain(EMAIL)
    await record({ kind: 'pending', orderId: '9001' })
    const order = await world.db
      .selectFrom('orders')
      .select(['email', 'shopper_id'])
      .where('store_id', '=', store.storeId)
      .where('order_id', '=', '9001')
      .executeTakeFirst()
    expect(order).toMatchObject({ email: EMAIL })
  })

  test('a pending order with another spelling of a known mailbox keeps its address', async () => {
    await setMode('cart_only')
    await post({ items, contact: { email: 'ada.lovelace@gmail.com' }, consent: { email: buildConsentBox('email') } })
    await expect.poll(readEverythingStored).toContain('ada.lovelace@gmail.com')
    await record({ kind: 'pending', email: 'adalovelace+shop@gmail.com' })
    expect(await readEverythingStored()).toContain('adalovelace+shop@gmail.com')
  })

  test('a draft without its contact merges with no cart', async () => {
    await setMode('cart_only')
    const item = {
      productId: '11',
      variationId: null,
      name: 'Tea',
      sku: null,
      quantity: 1,
      unitPriceMinor: 100,
      imageUrl: null,
    }
    await post({ items })
    await foldPosts()
    await record({ kind: 'draft', orderId: '9100', items: [item] })
    const { rows } = await world.pool.query(
      `select count(distinct shopper_id)::int as n from shopper_keys where store_id = $1 and (kind = 'order' and value = '9100' or kind = 'cart')`,
      [store.storeId],
    )
    const joined = await world.db
      .selectFrom('shopper_keys')
      .select('shopper_id')
      .where('store_id', '=', store.storeId)
      .where('kind', '=', 'order')
      .execute()
    expect([joined, rows[0].n]).toEqual([[], 1])
  })

  test('an order of a customer who has bought keeps their known address, and neither another address nor a phone', async () => {
    await setMode('cart_only')
    const bought = { kind: 'purchase' as const, customerId: '77', email: EMAIL, phone: null }
    await recordOrders(world.deps, store.storeId, [buildOrder(world, bought)], 'sync')
    const typed = { kind: 'draft', customerId: '77', phone: '+12125550177', country: 'US' }
    await record({ ...typed, orderId: '9301', email: 'friend@shoppers.example.com' })
    await record({ ...typed, orderId: '9302' })
    const drafts = world.db.selectFrom('orders').where('store_id', '=', store.storeId).where('kind', '=', 'draft')
    const rows = await drafts.select(['order_id', 'email', 'phone']).orderBy('order_id').execute()
    expect(rows).toEqual([
      { order_id: '9301', email: null, phone: null },
      { order_id: '9302', email: EMAIL, phone: null },
    ])
  })

  test('a purchase is kept unchanged', async () => {
    await setMode('nothing')
    await recordOrders(world.deps, store.storeId, [buildOrder(world, { kind: 'purchase', email: EMAIL })], 'sync')
    expect(await readEverythingStored()).toContain(EMAIL)
  })
})
