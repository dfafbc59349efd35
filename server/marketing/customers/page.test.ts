import { beforeEach, expect, test } from 'vitest'
import { buildConsentBox } from '../../../test/consent-boxes.ts'
import { createStore } from '../../../test/factories.ts'
import { buildTea, createShop, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { transact } from '../../core/db/db.ts'
import { recordAnswers } from '../../shoppers/consent/consents.ts'

// The page of one customer (decision 40).

const world = createWorld()
const ADA = { email: 'ada@shoppers.example', phone: '+12125550101', firstName: 'Ada', lastName: 'Lovelace' }
let shop: Shop

beforeEach(async () => {
  shop = await createShop(world)
})

async function readId(email: string): Promise<string> {
  const { body } = await shop.get(`/api/stores/customers/recent?search=${encodeURIComponent(email)}`)
  return body[0]._id
}

async function open(id: string) {
  const { status, body } = await shop.get(`/api/customers/${id}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.customer
}

test('the page shows contact, carts, and messages with the reason why each was sent or not', async () => {
  await shop.mailed(ADA)
  const customer = await open(await readId(ADA.email))
  expect(customer).toMatchObject({
    first_name: 'Ada',
    last_name: 'Lovelace',
    customer_email: ADA.email,
    phone: ADA.phone,
    is_registered: false,
    emails: [ADA.email],
    phones: [ADA.phone],
    unconfirmed: [],
    orders: { rows: [], total: 0 },
    value: [],
  })
  const cart = await shop.cart()
  const { body } = await shop.get(`/api/carts/${cart.id}`)
  expect(body.cart.customer_id).toBe(customer._id)
  expect(customer.carts).toMatchObject({
    total: 1,
    rows: [{ id: cart.id, status: 'Email Sent', total: 21, currency: 'USD' }],
  })
  const sent = customer.messages.rows.find((message: { state: string }) => message.state === 'sent')
  expect(sent).toMatchObject({ to: ADA.email, originName: expect.any(String) })
  expect(sent.decisions.map((each: { outcome: string }) => each.outcome)).toEqual(['send', 'result'])
  expect(customer.messages.total).toBe((await shop.messages()).length)
})

test("the page shows the store's lifetime figures beside the known orders (decision 135)", async () => {
  const { orderId } = await shop.order({ ...ADA, kind: 'purchase', totalMinor: 2_000, customerId: '71' })
  expect(orderId).toBeTruthy()
  const id = await readId(ADA.email)
  expect((await open(id)).life_in_store).toBeNull()
  const counted = { orders_count: 14, spent_minor: 123_450 }
  const record = { store_id: shop.storeId, customer_id: '71', seen_at: world.now, ...counted }
  await world.db.insertInto('customers').values(record).execute()
  expect(await open(id)).toMatchObject({
    life_in_store: { orders: 14, spent: 1_234.5, currency: 'USD' },
    value: [{ currency: 'USD', orders: 1, net: 20 }],
  })
})

test('value is orders, net revenue and average, and never adds two currencies', async () => {
  const buy = (currency: string, totalMinor: number, refundedMinor = 0) =>
    shop.order({ ...ADA, kind: 'purchase', currency, totalMinor, refundedMinor })
  await buy('USD', 2_000)
  await buy('USD', 4_001, 1_000)
  await buy('JPY', 500)
  await shop.order({ ...ADA, kind: 'cancelled', status: 'cancelled', currency: 'EUR', totalMinor: 9_900 })
  // An unplaced order, and an order cancelled after purchase.
  await shop.order({ ...ADA, kind: 'draft', currency: 'EUR', totalMinor: 9_900 })
  const { orderId } = await buy('EUR', 9_900)
  world.advance(MINUTE)
  await shop.order({ ...ADA, orderId, kind: 'cancelled', status: 'cancelled', currency: 'EUR', totalMinor: 9_900 })
  // A request for a quote.
  await shop.order({ ...ADA, kind: 'purchase', status: 'quote', paidAt: null, amount: 'if_counted', currency: 'EUR' })
  const { value, orders } = await open(await readId(ADA.email))
  expect(value).toEqual([
    { currency: 'USD', orders: 2, net: 50.01, average: 25.01, recovered: 0 },
    { currency: 'JPY', orders: 1, net: 500, average: 500, recovered: 0 },
  ])
  expect(orders.total).toBe(6)
  expect(orders.rows.map((order: { is_purchase: boolean }) => order.is_purchase).sort()).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
  ])
})

test('the page shows consent per channel with its evidence, and suppression with its reason', async () => {
  await shop.fill('one', [buildTea()])
  await shop.type('one', ADA)
  const box = { ...buildConsentBox('email'), address: ADA.email, country: 'US', isUnproven: true }
  await transact({ storeId: shop.storeId, db: world.db }, (tx) =>
    recordAnswers(
      world.deps,
      tx,
      [{ channel: 'email', isGiven: true, wording: 'Send me mail', address: box.address, country: 'US' }],
      world.now,
    ),
  )
  await world.request('POST', '/api/suppressions', {
    token: shop.token,
    body: { address: ADA.phone, channel: 'sms', reason: 'manual' },
  })
  const customer = await open(await readId(ADA.email))
  expect(customer.consents).toMatchObject([
    { channel: 'email', status: 'granted', source: 'checkout', wording: 'Send me mail', who: ADA.email },
  ])
  expect(customer.suppressed).toMatchObject([{ address: ADA.phone, reason: 'manual' }])
})

test('a shopper of another store, an anonymous shopper and an invalid id are not found', async () => {
  await shop.fill('one', [buildTea()])
  await shop.type('one', ADA)
  const id = await readId(ADA.email)
  const other = await createStore(world)
  expect((await world.request('GET', `/api/customers/${id}`, { token: other.token })).status).toBe(404)
  expect((await shop.get(`/api/customers/${createId()}`)).status).toBe(404)
  expect((await shop.get('/api/customers/42')).status).toBe(400)
  world.advance(MINUTE)
  await shop.fill('nameless', [buildTea()])
  const nameless = (await shop.carts()).find((cart) => cart.email === null)!
  expect((await shop.get(`/api/customers/${nameless.shopper_id}`)).status).toBe(404)
})
