import { afterEach, describe, expect, test } from 'vitest'
import { openContractStore, type StoreOptions } from '../../../providers/contracts/woocommerce.ts'
import { KEYS, OWNER } from '../../../providers/contracts/woocommerce-keys.ts'
import { buildWooAccess } from '../../../test/woo-access.ts'
import { type GuardedFetch, openGuardedHttp } from '../../core/net/guarded-fetch.ts'
import type { OrderQuery, Page, PlatformOrder } from '../platform/platform.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { createWooCommerceClient } from './platform.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function connected(options: Partial<StoreOptions> = {}) {
  const store = await openContractStore({ keys: KEYS, ...options })
  const http = openGuardedHttp({ allowPrivate: true })
  open.push(store, http)
  const access = buildWooAccess(store.url, OWNER)
  return { store, client: createWooCommerceClient(access, { fetch: http.fetch, now: () => new Date(), pauseMs: 0 }) }
}

async function all<Row, One extends Page<Row>>(pages: AsyncIterable<One>): Promise<One[]> {
  const list: One[] = []
  for await (const page of pages) list.push(page)
  return list
}

const START = Date.parse('2026-11-01T00:00:00Z')
const since = new Date(START).toISOString()

function at(second: number): string {
  return new Date(START + second * 1000).toISOString().slice(0, 19)
}

function buildOrder(id: number, second: number, fields: object = {}) {
  return {
    id,
    status: 'processing',
    currency: 'USD',
    total: '10.00',
    date_created_gmt: at(0),
    date_modified_gmt: at(second),
    line_items: [],
    ...fields,
  }
}

async function pull(
  client: { orders(query: OrderQuery): AsyncIterable<Page<PlatformOrder>> },
  query: Partial<OrderQuery> = {},
) {
  const pages = await all<PlatformOrder, Page<PlatformOrder>>(
    client.orders({ modifiedSince: since, pageSize: 3, ...query }),
  )
  return { pages, ids: pages.flatMap((page) => page.rows.map((row) => Number(row.orderId))) }
}

describe('the order pull', () => {
  test('reads the recorded store by modification: drafts and all statuses, trash separately', async () => {
    const { client, store } = await connected()
    const { pages, ids } = await pull(client, { modifiedSince: '2026-11-20T00:00:00Z' })
    const expected = store.orders.filter((row) => row.status !== 'trash').map((row) => row.id)
    expect([...ids].sort()).toEqual([...expected].sort())
    expect(new Set(ids).size).toBe(ids.length)
    const times = pages.flatMap((page) => page.rows.map((row) => row.modifiedAt))
    expect(times).toEqual([...times].sort())
    expect(pages.flatMap((page) => page.rows.map((row) => row.kind))).toContain('draft')
    expect(pages.flatMap((page) => page.skipped)).toEqual([])
    expect(pages.map((page) => page.isLast)).toEqual([...pages.slice(1).map(() => false), true])
    expect((await pull(client, { list: 'trash', modifiedSince: '2026-11-20T00:00:00Z' })).pages[0]?.rows[0]?.kind).toBe(
      'trashed',
    )
  })

  test('lists orders that await payment separately', async () => {
    const orders = [
      buildOrder(1, 9),
      buildOrder(2, 10, { status: 'pending' }),
      buildOrder(3, 11, { status: 'checkout-draft' }),
    ]
    const { client } = await connected({ orders })
    const { pages, ids } = await pull(client, { list: 'pending' })
    expect([ids, pages[0]!.rows[0]!.kind]).toEqual([[2], 'pending'])
  })

  test('refuses a list with more rows than a page can have (D8)', async () => {
    const { client } = await connected({ intercept: () => ({ body: Array(1_001).fill({ id: 1 }) }) })
    await expect(pull(client)).rejects.toMatchObject({ code: 'bad_answer', detail: 'a list of 1001 rows' })
  })

  test('has an inclusive bound although the store’s is exclusive', async () => {
    const { client } = await connected({ orders: [buildOrder(1, 9), buildOrder(2, 10), buildOrder(3, 11)] })
    expect((await pull(client, { modifiedSince: `${at(10)}.900Z`, pageSize: 100 })).ids).toEqual([1, 2, 3])
    expect((await pull(client, { modifiedSince: `${at(13)}Z`, pageSize: 100 })).ids).toEqual([])
  })

  test('misses no order when others are modified between pages', async () => {
    const orders = Array.from({ length: 20 }, (_, index) => buildOrder(index + 1, 10 + index))
    let calls = 0
    const { client } = await connected({
      orders,
      beforeOrders: (store) => {
        calls += 1
        // Before the second page the first three move to the end: with page=2, orders 4 to 6 would be missed.
        if (calls === 2) for (const row of store.orders.slice(0, 3)) row.date_modified_gmt = at(100 + Number(row.id))
      },
    })
    const { ids } = await pull(client)
    expect([...new Set(ids)].sort((a, b) => a - b)).toEqual(orders.map((row) => row.id))
    // The three changed orders are returned twice: each change is an event.
    expect(ids.length).toBe(23)
  })

  test('pages through a second with more than a page of orders, and again when it shrinks meanwhile', async () => {
    const orders = Array.from({ length: 12 }, (_, index) => buildOrder(index + 1, index < 10 ? 50 : 60))
    let calls = 0
    const { client } = await connected({
      orders,
      beforeOrders: (store) => {
        calls += 1
        // Between the first and second page of that second, orders 4 and 5 move back across the boundary.
        if (calls === 4) for (const row of store.orders.slice(0, 2)) row.date_modified_gmt = at(70)
      },
    })
    const { ids } = await pull(client)
    expect([...new Set(ids)].sort((a, b) => a - b)).toEqual(orders.map((row) => row.id))
  })

  test('reports where to continue, and continuing misses nothing', async () => {
    const orders = Array.from({ length: 9 }, (_, index) => buildOrder(index + 1, 10 + Math.floor(index / 2)))
    const { client } = await connected({ orders })
    const first = await client.orders({ modifiedSince: since, pageSize: 3 })[Symbol.asyncIterator]().next()
    const { ids } = await pull(client, { modifiedSince: first.value?.resumeFrom })
    expect(new Set([...first.value!.rows.map((row: PlatformOrder) => Number(row.orderId)), ...ids]).size).toBe(9)
  })

  test('an unreadable order does not affect the page', async () => {
    const bad = [
      buildOrder(2, 11, { total: 'lots' }),
      buildOrder(3, 12, { currency: '' }),
      buildOrder(4, 13, { status: null }),
    ]
    const { client } = await connected({ orders: [buildOrder(1, 10), ...bad, buildOrder(5, 14)] })
    const { pages, ids } = await pull(client, { pageSize: 100 })
    expect(ids).toEqual([1, 5])
    expect(pages[0]?.skipped).toEqual([
      { id: '2', reason: 'no total' },
      { id: '3', reason: 'no currency' },
      { id: '4', reason: 'no status' },
    ])
  })

  test('throws for a failed page, and stops at a store that lists in no order', async () => {
    let calls = 0
    const orders = Array.from({ length: 9 }, (_, index) => buildOrder(index + 1, 10 + index))
    const { client } = await connected({
      orders,
      intercept: (request) => {
        calls += request.url?.includes('/orders') ? 1 : 0
        return calls === 2 ? { status: 502, body: 'Bad gateway' } : undefined
      },
    })
    await expect(pull(client)).rejects.toMatchObject({ code: 'store_error' })
    const stuck = await connected({
      intercept: () => ({ headers: { 'x-wp-totalpages': '9' }, body: orders.slice(0, 3) }),
    })
    await expect(pull(stuck.client)).rejects.toMatchObject({ code: 'bad_answer' })
  })

  test('never requests an address, IP or user agent, and never repeats a signature', async () => {
    const { client, store } = await connected()
    await pull(client, { modifiedSince: '2026-11-20T00:00:00Z' })
    const lines = store.seen.map((one) => decodeURIComponent(one.line))
    for (const line of lines) expect(line).not.toMatch(/address_1|customer_ip|user_agent|payment_method|status=/)
    expect(new Set(lines).size).toBe(lines.length)
  })

  test('can be aborted', async () => {
    const { client } = await connected()
    await expect(pull(client, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(StoreProblem)
  })

  test('reopens a connection that the store has closed', async () => {
    let calls = 0
    const { client } = await connected({
      intercept: (request) => {
        calls += 1
        if (calls === 1) request.socket.destroy()
        return undefined
      },
    })
    expect((await pull(client, { modifiedSince: '2026-11-20T00:00:00Z' })).ids.length).toBeGreaterThan(5)
  })
})

test('reads one order by id, null when it does not exist', async () => {
  const { client } = await connected()
  expect(await client.order('77')).toMatchObject({
    orderId: '77',
    refundedMinor: 18661,
    items: [{ productId: '17', quantity: 3 }],
  })
  expect(await client.order('99999')).toBeNull()
  expect(await client.order('77/refunds')).toBeNull()
})

test('reads customers of any role except staff', async () => {
  const { client } = await connected()
  const rows = (await all(client.customers({}))).flatMap((page) => page.rows)
  expect(rows.find((row) => row.customerId === '2')).toMatchObject({
    email: 'ava.thompson@example.com',
    phone: '+14155550101',
    country: 'US',
    firstName: 'Ava',
  })
  expect(rows.some((row) => row.email === 'admin@store.test' || 'role' in row)).toBe(false)
})

test('reads published products with images and variations', async () => {
  const { client, store } = await connected()
  const rows = (await all(client.products({}))).flatMap((page) => page.rows)
  expect(rows.some((row) => row.name === 'Draft Product')).toBe(false)
  expect(rows.find((row) => row.variationId === '36')).toMatchObject({
    productId: '13',
    name: 'Hoodie - Blue, Yes',
    priceMinor: 4500,
    currency: 'USD',
    isAvailable: true,
  })
  expect(rows.find((row) => row.productId === '17')?.imageUrl).toMatch(/belt-2\.png$/)
  const changed = await all(client.products({ modifiedSince: '2026-11-21T00:59:14Z' }))
  expect(changed.flatMap((page) => page.rows.map((row) => row.name))).toContain('日本茶 Sencha')
  expect(changed.flatMap((page) => page.rows).length).toBeLessThan(rows.length)
  expect(store.seen.at(-1)?.line).toMatch(/modified_after=2026-11-21T00%3A59%3A12&dates_are_gmt=true/)
})

test('webhooks are created with our secret, listed and deleted', async () => {
  const { client, store } = await connected()
  const webhook = await client.createWebhook('order.updated', 'https://recoup.example/hooks/1', 'whsec_1')
  expect(webhook).toEqual({
    id: '7',
    topic: 'order.updated',
    status: 'active',
    deliveryUrl: 'https://recoup.example/hooks/1',
  })
  expect(await client.webhooks()).toEqual([webhook])
  await client.deleteWebhook(webhook.id)
  await client.deleteWebhook(webhook.id)
  expect(store.webhooks).toEqual([])
  await expect(client.createWebhook('cart.abandoned', 'https://recoup.example/hooks/1', 'x')).rejects.toMatchObject({
    code: 'bad_answer',
  })
})

test('requests to one store are serialised', async () => {
  let running = 0
  let max = 0
  const fetch: GuardedFetch = async (url) => {
    running += 1
    max = Math.max(max, running)
    await new Promise((done) => setTimeout(done, 5))
    running -= 1
    return { status: 404, headers: {}, body: Buffer.from('{"code":"gone"}'), url, isRedirected: false }
  }
  const access = buildWooAccess('http://shop.example')
  const client = createWooCommerceClient(access, { fetch, now: () => new Date() })
  await Promise.all([client.order('1'), client.order('2'), client.order('3')])
  expect(max).toBe(1)
})
