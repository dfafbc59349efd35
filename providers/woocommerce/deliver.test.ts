import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeStatus, findOrder } from './orders.ts'
import { askSigned, type Clock, findShapeProblems, openStore, readRecording } from './recordings.ts'
import { HOME_ADDRESS, openShopper, placeOrder } from './shoppers.ts'
import type { DemoStore } from './store.ts'
import { findWebhook } from './webhooks.ts'

type Delivery = { url: string; headers: [string, string][]; body: string }
type Recording = {
  note: string
  url: string
  headers: [string, string][]
  body: string
  signature_valid: boolean | null
}

const { deliveries: recorded } = readRecording<{ deliveries: Recording[] }>('webhook-deliveries')
const secret = 'whsec_of_the_test'
let store: DemoStore
let clock: Clock
let listener: Server
let received: Delivery[]
let status = 200
let target = ''

beforeEach(async () => {
  received = []
  status = 200
  listener = createServer((request, reply) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      const pairs = request.rawHeaders.flatMap((name, at) =>
        at % 2 ? [] : [[name, request.rawHeaders[at + 1]!] as [string, string]],
      )
      received.push({ url: request.url!, headers: pairs, body })
      reply.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve)
  })
  const host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  target = `http://${host}`
  const opened = await openStore({ allowedWebhookHosts: [host], webhookDelayMs: 1000 })
  store = opened.store
  clock = opened.clock
})

afterEach(async () => {
  await store.stop()
  listener.close()
})

test('pings a new webhook’s address with an unsigned form', async () => {
  const { body } = await askSigned(store, 'POST', '/wp-json/wc/v3/webhooks', {
    topic: 'order.updated',
    delivery_url: target,
    secret,
  })
  await waitUntil(() => received.length === 1)
  const [ping] = received
  const { id } = body as { id: number }
  const recording = recorded.find(({ signature_valid }) => signature_valid === null)!
  expect(ping!.body).toBe(`webhook_id=${id}`)
  expect(headerNames(ping!.headers)).toEqual(headerNames(recording.headers))
  expect(readHeader(ping!, 'User-Agent')).toBe('WooCommerce/10.4.4 Hookshot (WordPress/6.9)')
})

test('sends order webhooks as recorded, signed over the raw body', async () => {
  await addHook('order.updated')
  await addHook('order.created')
  const id = await placeOrder(store, { method: null })
  await deliverNow()
  expect(listTopics()).toEqual(['order.updated'])
  received = []
  await completeOrder(id)
  await deliverNow()
  expect(listTopics().toSorted()).toEqual(['order.created', 'order.updated'])
  for (const delivery of received) {
    expect(readHeader(delivery, 'X-WC-Webhook-Signature')).toBe(
      createHmac('sha256', secret).update(delivery.body).digest('base64'),
    )
    const recording = recorded.find((one) => one.note.startsWith('order.created of an order'))!
    expect(headerNames(delivery.headers)).toEqual(headerNames(recording.headers))
    expect(findShapeProblems(JSON.parse(recording.body), JSON.parse(delivery.body))).toEqual([])
    expect(JSON.parse(delivery.body)).toMatchObject({ id, status: 'processing' })
  }
})

test('merges intermediate states and builds the body when it is sent', async () => {
  await addHook('order.updated')
  const id = await placeOrder(store, { method: 'cod' })
  expect(await store.deliverWebhooks()).toBe(0)
  changeStatus(store.shop, findOrder(store.shop, id)!, 'completed')
  await deliverNow()
  expect(received.map(({ body }) => JSON.parse(body).status)).toEqual(['completed'])
})

test('reuses the delivery id within one second', async () => {
  await addHook('order.updated')
  await placeOrder(store, { method: 'cod' })
  await placeOrder(store, { method: 'cod' })
  await deliverNow()
  const ids = received.map((delivery) => readHeader(delivery, 'X-WC-Webhook-Delivery-ID'))
  expect(ids).toHaveLength(2)
  expect(ids[0]).toBe(ids[1])
})

test('sends only the id for trash, nothing for a forced delete, and an error body for a missing order', async () => {
  await addHook('order.deleted')
  await addHook('order.updated')
  const [trashed, erased] = [await placeOrder(store, { method: 'cod' }), await placeOrder(store, { method: 'cod' })]
  await askSigned(store, 'DELETE', `/wp-json/wc/v3/orders/${trashed}`)
  await askSigned(store, 'DELETE', `/wp-json/wc/v3/orders/${erased}?force=true`)
  await deliverNow()
  const deleted = received.filter((delivery) => readHeader(delivery, 'X-WC-Webhook-Topic') === 'order.deleted')
  expect(deleted.map(({ body }) => body)).toEqual([`{"id":${trashed}}`])
  const deletedOrder = recorded.find(({ note }) => note.startsWith('the order was gone'))!
  expect(received.map(({ body }) => body)).toContain(deletedOrder.body)
})

test('sends customers, coupons and stock in the recorded form', async () => {
  for (const topic of ['customer.created', 'coupon.created', 'product.updated']) await addHook(topic)
  await askSigned(store, 'POST', '/wp-json/wc/v3/customers', { email: 'new@example.com' })
  await askSigned(store, 'POST', '/wp-json/wc/v3/coupons', { code: 'NEW', amount: '5' })
  const shopper = await openShopper(store)
  await shopper.call('POST', 'cart/add-item', { id: 27, quantity: 1 })
  const order = {
    billing_address: { ...HOME_ADDRESS, email: 'a@example.com' },
    shipping_address: HOME_ADDRESS,
    payment_method: 'cod',
  }
  await shopper.call('POST', 'checkout', order)
  await deliverNow()
  for (const delivery of received) {
    const recording = recorded.find(({ url }) => url.endsWith(readHeader(delivery, 'X-WC-Webhook-Topic')!))!
    expect(findShapeProblems(JSON.parse(recording.body), JSON.parse(delivery.body))).toEqual([])
  }
  expect(listTopics().toSorted()).toEqual(['coupon.created', 'customer.created', 'product.updated'])
})

test('sends the first argument of a custom action’s hook', async () => {
  await addHook('action.woocommerce_add_to_cart')
  await placeOrder(store, { method: null })
  await deliverNow()
  expect(received.map(({ body }) => Object.keys(JSON.parse(body)))).toEqual([
    ['action', 'arg'],
    ['action', 'arg'],
  ])
})

test('disables a webhook after seven failures, and resets the count after a success', async () => {
  const id = await addHook('order.updated')
  status = 500
  for (let failure = 1; failure <= 6; failure += 1) await failOnce()
  expect(await readStatus(id)).toBe('active')
  await failOnce()
  expect(await readStatus(id)).toBe('disabled')
})

test('silently blocks loopback and private targets by default', async () => {
  const { body } = await askSigned(store, 'POST', '/wp-json/wc/v3/webhooks', {
    topic: 'order.updated',
    delivery_url: target.replace('127.0.0.1', 'localhost'),
    secret,
  })
  expect(body).toMatchObject({ status: 'active' })
  await placeOrder(store, { method: 'cod' })
  await deliverNow()
  expect(received).toEqual([])
})

test('dials the checked address: never link-local, private ranges only for allowed targets', async () => {
  const addresses: Record<string, string[]> = {
    'named.example': ['169.254.169.254', '127.0.0.1'],
    'private.example': ['100.64.0.1', '127.0.0.1', '10.0.0.1'],
  }
  let requests: string[] = []
  const resolve = ((name, _options, done) => {
    requests.push(name)
    done(null, addresses[name]!.map((address) => ({ address, family: 4 })) as never)
  }) as LookupFunction
  const { port } = new URL(target)
  store.shop.lookup = resolve
  store.shop.allowedWebhookHosts = ['named.example']
  const named = await addHookTo(`http://named.example:${port}/hook`)
  expect(received).toHaveLength(1)
  expect(requests).toEqual(['named.example'])
  const refused = await Promise.all(
    ['http://private.example:8080/', 'http://169.254.169.254/', 'http://100.64.0.1:8080/', 'http://[::1]:80/'].map(
      addHookTo,
    ),
  )
  requests = []
  received = []
  await placeOrder(store, { method: 'cod' })
  await deliverNow()
  expect(requests.toSorted()).toEqual(['named.example', 'private.example'])
  expect(received.map(({ url }) => url)).toEqual(['/hook'])
  expect(refused.map((id) => findWebhook(store.shop, id)!.failures)).toEqual([1, 1, 1, 1])
  expect(findWebhook(store.shop, named)!.failures).toBe(0)
})

async function addHookTo(url: string): Promise<number> {
  const hook = { topic: 'order.created', delivery_url: url, secret }
  const { body } = await askSigned(store, 'POST', '/wp-json/wc/v3/webhooks', hook)
  if (url.startsWith('http://named')) await waitUntil(() => received.length > 0)
  return (body as { id: number }).id
}

async function addHook(topic: string): Promise<number> {
  const { body } = await askSigned(store, 'POST', '/wp-json/wc/v3/webhooks', {
    topic,
    delivery_url: `${target}/${topic}`,
    secret,
  })
  await waitUntil(() => received.length > 0)
  received = []
  return (body as { id: number }).id
}

async function completeOrder(id: number) {
  const order = findOrder(store.shop, id)!
  changeStatus(store.shop, changeStatus(store.shop, order, 'pending'), 'processing')
}

async function failOnce() {
  await placeOrder(store, { method: 'cod' })
  await deliverNow()
}

async function deliverNow() {
  clock.seconds += 2
  await store.deliverWebhooks()
}

async function readStatus(id: number) {
  return ((await askSigned(store, 'GET', `/wp-json/wc/v3/webhooks/${id}`)).body as { status: string }).status
}

async function waitUntil(holds: () => boolean) {
  for (let wait = 0; wait < 1_000 && !holds(); wait += 1) await new Promise((resolve) => setTimeout(resolve, 10))
}

function listTopics() {
  return received.map((delivery) => readHeader(delivery, 'X-WC-Webhook-Topic'))
}

function readHeader({ headers }: Delivery, name: string) {
  return headers.find(([recording]) => recording === name)?.[1]
}

function headerNames(headers: [string, string][]) {
  return headers.map(([name]) => name).toSorted()
}
