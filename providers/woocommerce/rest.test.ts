import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCustomer, noAddress } from './customers.ts'
import { addOrder, changeStatus, findOrder, saveOrder } from './orders.ts'
import { askSigned, type Clock, type Exchange, openStore, readRecording, replay } from './recordings.ts'
import { createOrder } from './rest/order-write.ts'
import { mapCatalogueIds, placeOrder, soldOutText } from './shoppers.ts'
import type { DemoStore } from './store.ts'

let store: DemoStore
let clock: Clock
let ids: Map<number, number>

beforeAll(async () => {
  const opened = await openStore()
  store = opened.store
  clock = opened.clock
  ids = mapCatalogueIds(store)
  await fillWithOrders()
})

afterAll(() => store.stop())

test.each([
  'system',
  'products-pages',
  'products-more',
  'orders-by-status',
  'orders-pages',
])('answers %s in the recorded form', async (name) => {
  expect(await replayFile(name)).toEqual([])
})

test('answers recorded order queries: filters, windows, errors, refunds, trash and notes', async () => {
  const { exchanges } = readRecording('orders-queries')
  const [whole, part] = [insertOrder('processing', 0), insertOrder('processing', 1)]
  const existing = new Map([...ids, [77, whole] as const, [80, part] as const])
  // A full refund must equal this order's total, not the recorded one's.
  const amount = String(findOrder(store.shop, whole)!.totalMinor / 100)
  const send = ({ title, request }: Exchange, target: string, body: unknown) =>
    askSigned(store, request.method, target, title === 'full refund' ? { ...(body as object), amount } : body)
  expect(await replay(exchanges, { store, clock, ids: existing, words: soldOutText, send })).toEqual([])
})

test('answers recorded special cases: exclusive bounds, ignored parameters, guests, deleted drafts', async () => {
  const { exchanges } = readRecording('extras')
  const skip = /wc-auth/
  expect(await replay(exchanges, { store, clock, ids: new Map([...ids, [62, 999_999]]), skip })).toEqual([])
})

test('answers recorded customers, including one with an open cart', async () => {
  const { exchanges } = readRecording('customers')
  expect(await replay(exchanges, { store, clock, ids })).toEqual([])
  expect(await replayFile('customer-with-open-cart')).toEqual([])
})

test('updates a customer’s last visit in meta_data without changing the modification date', async () => {
  const { exchanges } = readRecording('customers-last-active')
  const start = clock.seconds
  clock.seconds = Date.parse('2026-11-22T19:09:12Z') / 1000
  const nora = { email: 'nora@example.com', username: 'nora', firstName: 'Nora', lastName: 'Lind' }
  const existing = new Map([[4, addCustomer(store.shop, nora).id]])
  // Skips wc-analytics, which this store does not have, and lists of all the recorded store's customers.
  const requested = exchanges.filter(({ request }) => /\/wc\/v[34]\//.test(request.path) && !request.query?.per_page)
  expect(requested).toHaveLength(7)
  for (const exchange of requested) {
    const { value } = [exchange.response.body].flat().flatMap((each) => readMeta(each))[0] ?? {}
    if (value) clock.seconds = Number(value)
    if (value) store.customers.visit('nora@example.com')
    const [difference] = await replay([exchange], { store, clock, ids: existing })
    expect((difference?.problems ?? []).filter((problem) => !/_links is not/.test(problem))).toEqual([])
    const { body } = await askSigned(store, 'GET', `/wp-json/wc/v3/customers/${existing.get(4)}`)
    if (value) expect(body).toMatchObject({ meta_data: [{ key: 'wc_last_active', value }] })
    expect(body).toMatchObject({ date_modified_gmt: '2026-11-22T19:09:12' })
  }
  clock.seconds = start
})

function readMeta(customer: unknown) {
  return (customer as { meta_data?: { value: string }[] }).meta_data ?? []
}

test('answers recorded coupons with their expiry', async () => {
  expect(await replayFile('coupons')).toEqual([])
  expect(await replayFile('coupons-expiry')).toEqual([])
})

test('answers recorded webhook calls: create, list, pause, errors, delete', async () => {
  expect(await replayFile('webhooks-crud')).toEqual([])
})

test('reads an expiry in store time or with Z in UTC, and ignores the gmt field', async () => {
  const expiry = async (code: string, more: object) => {
    const { body } = await askSigned(store, 'POST', '/wp-json/wc/v3/coupons', { code, amount: '5', ...more })
    return (body as { date_expires_gmt: string | null }).date_expires_gmt
  }
  expect(await expiry('a', { date_expires: '2026-12-31T23:59:59' })).toBe('2027-01-01T04:59:59')
  expect(await expiry('b', { date_expires: '2026-12-31T23:59:59Z' })).toBe('2026-12-31T23:59:59')
  expect(await expiry('c', { date_expires: '2026-12-31' })).toBe('2026-12-31T05:00:00')
  expect(await expiry('d', { date_expires_gmt: '2026-12-31T23:59:59' })).toBeNull()
  expect(await expiry('e', { date_expires: 'someday' })).toBe('1970-01-01T05:00:00')
})

test('treats modified_after as exclusive to the second, in store time by default', async () => {
  const order = addOrder(store.shop, { ...emptyOrder() })
  const gmt = new Date(order.modifiedAt * 1000).toISOString().slice(0, 19)
  const before = new Date(order.modifiedAt * 1000 - 1000).toISOString().slice(0, 19)
  const count = async (query: string) =>
    ((await askSigned(store, 'GET', `/wp-json/wc/v3/orders?include=${order.id}&${query}`)).body as unknown[]).length
  expect(await count(`modified_after=${gmt}&dates_are_gmt=true`)).toBe(0)
  expect(await count(`modified_after=${before}&dates_are_gmt=true`)).toBe(1)
  expect(await count(`modified_after=${before}Z`)).toBe(1)
  expect(await count(`modified_after=${before}`)).toBe(0)
})

test('returns every order once when following rel=next', async () => {
  const ids: number[] = []
  let target: string | undefined = '/wp-json/wc/v3/orders?per_page=2&orderby=modified&order=asc&_fields=id&status=any'
  for (let page = 1; target; page += 1) {
    const answer = await askSigned(
      store,
      'GET',
      `/wp-json/wc/v3/orders?per_page=2&orderby=modified&order=asc&_fields=id&page=${page}`,
    )
    ids.push(...(answer.body as { id: number }[]).map(({ id }) => id))
    target = /rel="next"/.test(String(answer.headers.link)) ? 'more' : undefined
  }
  const { total } = (await askSigned(store, 'GET', '/wp-json/wc/v3/orders?per_page=1')).headers as { total?: string }
  expect(new Set(ids).size).toBe(ids.length)
  expect(total ?? String(ids.length)).toBe(String(ids.length))
})

test('sets dates when paying, completing and cancelling', async () => {
  const paid = await placeOrder(store, { method: 'testcard' })
  expect(findOrder(store.shop, paid)).toMatchObject({ status: 'processing', transactionId: `txn_${paid}` })
  const done = await askSigned(store, 'PUT', `/wp-json/wc/v3/orders/${paid}`, { status: 'completed' })
  expect(done.body).toMatchObject({
    status: 'completed',
    date_completed_gmt: expect.any(String),
    date_paid_gmt: expect.any(String),
  })
  const cod = await placeOrder(store, { method: 'cod' })
  expect((await askSigned(store, 'GET', `/wp-json/wc/v3/orders/${cod}`)).body).toMatchObject({
    status: 'processing',
    date_paid: null,
  })
})

test('returns a line’s image id as text for products and as a number for variations', async () => {
  const { body } = await askSigned(store, 'GET', `/wp-json/wc/v3/orders/${await placeOrder(store, { method: 'cod' })}`)
  const lines = (body as { line_items: { variation_id: number; image: { id: unknown } }[] }).line_items
  expect(lines.map(({ variation_id, image }) => [variation_id > 0, typeof image.id])).toEqual([
    [false, 'string'],
    [true, 'number'],
  ])
})

test('rejects or ignores malformed bodies and queries without crashing', async () => {
  const bodies = ['{', 'null', '[]', '"x"', '{"code":{}}', '{"line_items":[null]}', '{"create":[null],"delete":[{}]}']
  const queries = [
    'page=x',
    'per_page=-1',
    'modified_after=2026-13-45',
    'search=%25_%5C',
    '_fields=a..b',
    'order=zzz',
    'page=1e9',
  ]
  for (const noun of [
    'orders',
    'products',
    'customers',
    'coupons',
    'coupons/batch',
    'webhooks',
    'orders/99999999999999999999',
  ]) {
    for (const body of bodies) {
      for (const method of ['POST', 'PUT'])
        expect((await askSigned(store, method, `/wp-json/wc/v3/${noun}`, body)).status).toBeLessThan(500)
    }
    for (const query of queries)
      expect((await askSigned(store, 'GET', `/wp-json/wc/v3/${noun}?${query}`)).status).toBeLessThan(500)
  }
})

async function replayFile(name: string) {
  const { exchanges } = readRecording<{ exchanges: Exchange[] }>(name)
  return replay(exchanges, { store, clock, ids, words: soldOutText })
}

async function fillWithOrders() {
  const { shop } = store
  const customer = addCustomer(shop, {
    email: 'left.midway@example.com',
    billing: { ...noAddress, email: 'left.midway@example.com' },
  })
  for (const mode of ['success', 'decline', 'pending', 'success', 'success']) {
    await placeOrder(store, { method: 'testcard', mode, coupon: mode === 'success' ? 'welcome10' : '' })
    clock.seconds += 1
  }
  await placeOrder(store, { method: 'bacs' })
  const done = await placeOrder(store, { method: 'cod', coupon: 'welcome10' })
  changeStatus(shop, findOrder(shop, done)!, 'completed')
  const existing = await placeOrder(store, { method: 'cod', coupon: 'welcome10' })
  saveOrder(shop, { ...findOrder(shop, existing)!, customerId: customer.id })
  ids.set(97, existing)
  changeStatus(shop, findOrder(shop, await placeOrder(store, { method: 'cod' }))!, 'cancelled')
  const back = await placeOrder(store, { method: 'cod' })
  await askSigned(store, 'POST', `/wp-json/wc/v3/orders/${back}/refunds`, {
    amount: String(findOrder(shop, back)!.totalMinor / 100),
  })
  await placeOrder(store, { method: null })
  const trashed = createOrder(shop, { line_items: [{ product_id: 20, quantity: 1 }] })
  await askSigned(store, 'DELETE', `/wp-json/wc/v3/orders/${trashed.id}`)
  for (let more = 0; more < 12; more += 1) await placeOrder(store, { method: 'cod' })
}

function insertOrder(status: string, at: number): number {
  const sql = 'select id from orders where status = ? order by id'
  return (store.shop.db.sqlite.prepare(sql).all(status) as { id: number }[])[at]!.id
}

function emptyOrder() {
  const {
    id: _,
    orderKey: __,
    createdAt: ___,
    modifiedAt: ____,
    ...rest
  } = findOrder(store.shop, insertOrder('processing', 0))!
  return rest
}
