import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readPicture } from '../../server/carts/brand/pictures.ts'
import { findOrder } from './orders.ts'
import {
  askAnonymous,
  askSigned,
  type Exchange,
  findShapeProblems,
  keys,
  openStore,
  readRecording,
} from './recordings.ts'
import { openShopper, placeOrder } from './shoppers.ts'
import { type DemoStore, startDemoStore } from './store.ts'

const folders: string[] = []
const stores: DemoStore[] = []

afterEach(async () => {
  for (const store of stores.splice(0)) await store.stop()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

test('creates a key per data file, keeps it after a restart and rejects the old shared key', async () => {
  const dataFile = createFile()
  const shared = { consumerKey: `ck_${'d'.repeat(40)}`, consumerSecret: `cs_${'d'.repeat(40)}` }
  await (await startDemoStore({ port: 0, dataFile, ...shared })).stop()
  const first = await startDemoStore({ port: 0, dataFile })
  await first.stop()
  const again = trackStore(await startDemoStore({ port: 0, dataFile }))
  const other = trackStore(await startDemoStore({ port: 0, dataFile: createFile() }))
  expect(again.keys).toEqual(first.keys)
  expect(other.keys).not.toEqual(first.keys)
  const readStatus = async ({ consumerKey, consumerSecret }: typeof shared) => {
    const query = `consumer_key=${consumerKey}&consumer_secret=${consumerSecret}`
    again.shop.isSsl = true
    return (await again.app.inject({ url: `/wp-json/wc/v3/orders?${query}` })).statusCode
  }
  expect([await readStatus(again.keys), await readStatus(shared)]).toEqual([200, 401])
})

test('keeps orders, carts and the capture script after a restart', async () => {
  const dataFile = createFile()
  const first = await startDemoStore({ port: 0, dataFile, ...keys })
  const id = await placeOrder(first, { method: 'cod' })
  const shopper = await openShopper(first)
  await shopper.call('POST', 'cart/add-item', { id: 20, quantity: 3 })
  first.setCapture({ scriptUrl: 'http://localhost:3000/capture.js', storeKey: 'sk_1' })
  await first.stop()
  const second = trackStore(await startDemoStore({ port: 0, dataFile, ...keys }))
  expect(findOrder(second.shop, id)?.status).toBe('processing')
  const cart = await askAnonymous(second, 'GET', '/wp-json/wc/store/v1/cart', { 'cart-token': shopper.token })
  expect(cart.body).toMatchObject({ items_count: 3 })
  const page = await askAnonymous(second, 'GET', '/shop/')
  expect(page.body).toContain('<script src="http://localhost:3000/capture.js" data-store="sk_1" defer></script>')
  second.setCapture(null)
  expect((await askAnonymous(second, 'GET', '/shop/')).body).not.toContain('capture.js')
})

test('hosts web push like the plugin, or by a pasted script and an uploaded file', async () => {
  const { store } = await openStore()
  trackStore(store)
  const getPath = (path: string) => askAnonymous(store, 'GET', path)
  expect((await getPath('/?recoup-sw=1')).body).toContain('<!doctype html>')
  expect((await getPath('/sw.js')).status).toBe(404)
  const head = '<script src="http://localhost:3000/push/k.js" defer></script>'
  const worker = { text: 'self.addEventListener("push", () => {})' }
  store.setPush({ head, body: '<button data-recoup-push>', workerPath: '/?recoup-sw=1', worker })
  const served = await getPath('/?recoup-sw=1')
  expect(served.body).toBe(worker.text)
  expect(served.headers).toMatchObject({
    'service-worker-allowed': '/',
    'content-type': 'text/javascript; charset=utf-8',
  })
  const page = String((await getPath('/shop/')).body)
  expect([page.includes(head), page.includes('<button data-recoup-push>')]).toEqual([true, true])
  store.setPush({ head, workerPath: '/sw.js', worker })
  expect((await getPath('/sw.js')).headers).not.toHaveProperty('service-worker-allowed')
  expect((await getPath('/?recoup-sw=1')).body).toContain('<!doctype html>')
  store.setPush({ head, workerPath: '/sw.js', worker: { url: 'http://127.0.0.1:1/sw.js' } })
  expect((await getPath('/sw.js')).status).toBe(502)
  store.setPush(null)
  expect((await getPath('/shop/')).body).not.toContain('/push/')
})

test('keeps every acknowledged order after kill -9', async () => {
  const dataFile = createFile()
  const script = `
    import { startDemoStore } from ${JSON.stringify(new URL('./store.ts', import.meta.url).href)}
    import { placeOrder } from ${JSON.stringify(new URL('./shoppers.ts', import.meta.url).href)}
    const store = await startDemoStore({ port: 0, dataFile: ${JSON.stringify(dataFile)}, ...${JSON.stringify(keys)} })
    for (;;) console.log(await placeOrder(store, { method: 'cod' }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.stdout.on('data', (part) => {
    output += part
    if (output.split('\n').length > 20) child.kill('SIGKILL')
  })
  await closed
  const store = trackStore(await startDemoStore({ port: 0, dataFile, ...keys }))
  const acknowledged = output.split('\n').slice(0, -1).filter(Boolean).map(Number)
  expect(acknowledged.length).toBeGreaterThan(10)
  for (const id of acknowledged) expect(findOrder(store.shop, id)?.status).toBe('processing')
})

test('migrates an early data file’s coupons', async () => {
  const dataFile = createFile()
  const first = await startDemoStore({ port: 0, dataFile, ...keys })
  const listCodes = (store: DemoStore) => store.coupons.list().map(({ code }) => code)
  const before = listCodes(first)
  const { sqlite } = first.shop.db
  sqlite.exec(`create table early (id integer primary key, code text not null unique, status text not null,
    created integer not null, modified integer not null, doc text not null) strict;
    insert into early select * from coupons; drop table coupons; alter table early rename to coupons`)
  await first.stop()
  const second = trackStore(await startDemoStore({ port: 0, dataFile, ...keys }))
  expect(listCodes(second)).toEqual(before)
  second.coupons.edit('welcome10', { status: 'draft' })
  second.coupons.add({ code: 'welcome10' })
  expect(second.coupons.count('welcome10')).toBe(2)
})

test('resets to the seed with the same product ids, keys and capture script', async () => {
  const { store } = await openStore()
  trackStore(store)
  const listProducts = async () =>
    (await askSigned(store, 'GET', '/wp-json/wc/v3/products?per_page=100&_fields=id,slug')).body
  const before = await listProducts()
  await placeOrder(store, { method: 'cod' })
  store.setCapture({ scriptUrl: 'http://localhost:3000/capture.js', storeKey: 'sk_1' })
  store.reset()
  expect(await listProducts()).toEqual(before)
  expect((await askSigned(store, 'GET', '/wp-json/wc/v3/orders')).body).toEqual([])
  expect((await askAnonymous(store, 'GET', '/shop/')).body).toContain('capture.js')
})

test('deletes a draft silently a day after its last change', async () => {
  const { store, clock } = await openStore()
  trackStore(store)
  const id = await placeOrder(store, { method: null })
  clock.seconds += 86_399
  store.cleanUp()
  expect((await askSigned(store, 'GET', `/wp-json/wc/v3/orders/${id}`)).status).toBe(200)
  clock.seconds += 2
  store.cleanUp()
  expect((await askSigned(store, 'GET', `/wp-json/wc/v3/orders/${id}`)).body).toMatchObject({
    code: 'woocommerce_rest_shop_order_invalid_id',
  })
})

test('cancels unpaid orders only after a configured hold time', async () => {
  const { store, clock } = await openStore({ holdStockMinutes: 60 })
  trackStore(store)
  const id = await placeOrder(store, { method: 'testcard', mode: 'pending' })
  clock.seconds += 3601
  store.cleanUp()
  expect(findOrder(store.shop, id)?.status).toBe('cancelled')
})

test('inserts past orders of every status with their dates', async () => {
  const { store, clock } = await openStore()
  trackStore(store)
  const then = clock.seconds - 60 * 86_400
  const statuses = [
    'completed',
    'processing',
    'on-hold',
    'pending',
    'failed',
    'cancelled',
    'refunded',
    'checkout-draft',
  ] as const
  const past = statuses.map((status, at) => ({
    status,
    createdAt: then + at * 3600,
    billing: { email: `past${at}@example.com`, first_name: 'Past' },
    lines: [
      { productId: 20, quantity: 2 },
      { productId: 35, quantity: 1 },
    ],
    couponCode: 'welcome10',
    ...(status === 'refunded' ? { refund: { amountMinor: 100, reason: 'Broken', createdAt: then + 90_000 } } : {}),
  }))
  const ids = store.insertOrders(past)
  const { body } = await askSigned(
    store,
    'GET',
    `/wp-json/wc/v3/orders?include=${ids.join(',')}&per_page=100&orderby=id&order=asc`,
  )
  const orders = body as { status: string; date_created_gmt: string; total: string }[]
  expect(orders.map(({ status }) => status)).toEqual([...statuses])
  expect(orders[0]!.date_created_gmt).toBe(new Date(then * 1000).toISOString().slice(0, 19))
  expect(orders[0]!.total).toBe('93.86')
  const { exchanges } = readRecording<{ exchanges: Exchange[] }>('orders-pages')
  expect(findShapeProblems(exchanges[0]!.response.body, orders)).toEqual([])
})

test('inserts a past order with its own used coupon, without webhooks', async () => {
  const { store, clock } = await openStore()
  trackStore(store)
  const at = clock.seconds - 86_400
  const own = {
    discountType: 'percent',
    amountMinor: 1000,
    usageLimit: 1,
    individualUse: true,
    createdAt: at - 60,
  } as const
  store.insertOrders([
    {
      status: 'completed',
      createdAt: at,
      billing: { email: 'past@example.com' },
      lines: [{ productId: 20, quantity: 2 }],
      couponCode: 'CART-BCDF3467',
      ownCoupon: { ...own, meta: { _mark: 'message' } },
    },
  ])
  const { body } = await askSigned(store, 'GET', '/wp-json/wc/v3/coupons?code=cart-bcdf3467')
  expect(body).toMatchObject([{ usage_count: 1, usage_limit: 1, meta_data: [{ key: '_mark', value: 'message' }] }])
  const orders = await askSigned(store, 'GET', '/wp-json/wc/v3/orders')
  expect(orders.body).toMatchObject([{ discount_total: '5.60', coupon_lines: [{ code: 'cart-bcdf3467' }] }])
})

test('inserts three months of orders in seconds and pages them by index', async () => {
  const { store, clock } = await openStore()
  trackStore(store)
  const orders = Array.from({ length: 3000 }, (_, at) => ({
    status: 'completed' as const,
    createdAt: clock.seconds - at * 2600,
    billing: { email: `many${at}@example.com` },
    lines: [{ productId: 20 + (at % 10), quantity: 1 }],
  }))
  expect(store.insertOrders(orders)).toHaveLength(3000)
  const page = await askSigned(store, 'GET', '/wp-json/wc/v3/orders?per_page=100&orderby=modified&order=asc')
  expect(page.headers).toMatchObject({ 'x-wp-total': '3000', 'x-wp-totalpages': '30' })
})

test('serves a shopper’s pages: add by link, change, buy, see the order, forget the visitor', async () => {
  const { store } = await openStore()
  trackStore(store)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const added = await askAnonymous(store, 'GET', '/?add-to-cart=23&quantity=2')
  expect(added.body).toContain('“Honey &#38; Ginger Chai” has been added to your cart.')
  const cookie = readCookies(added)
  expect((await askAnonymous(store, 'GET', '/cart/', { cookie })).body).toContain('$32.00')
  const refused = await askAnonymous(
    store,
    'POST',
    '/cart/',
    { ...form, cookie, origin: 'https://elsewhere.example' },
    'do=coupon&code=welcome10',
  )
  expect(refused.status).toBe(403)
  expect((await askAnonymous(store, 'POST', '/cart/', { ...form, cookie }, 'do=coupon&code=nosuch')).body).toContain(
    'does not exist',
  )
  const checkout = await askAnonymous(store, 'GET', '/checkout/', { cookie })
  for (const id of ['email', 'shipping-phone', 'shipping-first_name']) expect(checkout.body).toContain(`id="${id}"`)
  expect((await askAnonymous(store, 'GET', '/checkout/')).status).toBe(302)
  expect((await askAnonymous(store, 'GET', '/product/nothing/')).status).toBe(404)
  const forgotten = await askAnonymous(store, 'POST', '/forget-me/', { ...form, cookie })
  expect(readCookies(forgotten)).toContain('woocommerce_items_in_cart=;')
})

test('escapes input from shoppers and links', async () => {
  const { store } = await openStore()
  trackStore(store)
  const attack = '<img src=x onerror=alert(1)>'
  const page = await askAnonymous(store, 'GET', `/cart/?wc_error=${encodeURIComponent(attack)}`)
  expect(page.body).not.toContain('<img src=x')
  const id = await placeOrder(store, { method: 'cod', email: 'a@example.com' })
  store.insertOrders([
    { status: 'completed', createdAt: 1, billing: { first_name: attack, email: 'x@example.com' }, lines: [] },
  ])
  expect((await askAnonymous(store, 'GET', '/wp-admin/')).body).not.toContain('<img src=x')
  expect(findOrder(store.shop, id)).toBeDefined()
})

test('rejects a port in use at once and releases the data file', async () => {
  const { store } = await openStore({ port: 0 })
  trackStore(store)
  const { port } = store.app.server.address() as { port: number }
  await expect(startDemoStore({ port, dataFile: createFile(), ...keys })).rejects.toThrow(/EADDRINUSE/)
})

function createFile() {
  const folder = mkdtempSync(join(tmpdir(), 'demo-store-'))
  folders.push(folder)
  return join(folder, 'store.db')
}

function trackStore(store: DemoStore) {
  stores.push(store)
  return store
}

function readCookies({ headers }: { headers: Record<string, unknown> }) {
  return [headers['set-cookie'] ?? []]
    .flat()
    .map((one) => String(one).split(' ')[0])
    .join(' ')
}

test('has a JPEG picture for every product', async () => {
  const store = trackStore(await startDemoStore({ port: 0, dataFile: createFile(), ...keys }))
  const { body } = await askAnonymous(store, 'GET', '/shop/')
  const paths = String(body).match(/\/wp-content\/uploads\/[^"' ]+/g) ?? []
  const addresses = new Set(paths.map((path) => new URL(path, store.url).href))
  expect(addresses.size).toBeGreaterThan(10)
  for (const address of addresses) {
    const reply = await fetch(address)
    expect([address, reply.status, reply.headers.get('content-type')]).toEqual([address, 200, 'image/jpeg'])
  }
})

test('lists a logo in its index that email clients can show', async () => {
  const store = trackStore(await startDemoStore({ port: 0, dataFile: createFile(), ...keys }))
  const fetchJson = async (path: string) => (await fetch(`${store.url}${path}`)).json()
  const { site_logo } = await fetchJson('/wp-json/')
  const medium = await fetchJson(`/wp-json/wp/v2/media/${site_logo}`)
  const picture = await readPicture(Buffer.from(await (await fetch(medium.source_url)).arrayBuffer()), ['png'])
  const { width, height } = medium.media_details
  expect(picture).toMatchObject({ width, height })
  expect((await fetch(`${store.url}/wp-json/wp/v2/media/1`)).status).toBe(404)
})

test('shows the key for connecting another account in the admin', async () => {
  const { store } = await openStore()
  trackStore(store)
  const { body } = await askAnonymous(store, 'GET', '/wp-admin/')
  expect(body).toContain(store.keys.consumerKey)
  expect(body).toContain(store.keys.consumerSecret)
})
