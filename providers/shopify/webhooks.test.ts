import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openAppClient, openShopify } from '../contracts/shopify.ts'
import { allScopes, type ShopifyStore } from './store.ts'

// Webhooks to a real server: signatures, retries, deleted subscriptions.

const knife = 44_100_000_000_001
const hour = 3_600_000
let store: ShopifyStore
let ask: Awaited<ReturnType<typeof openAppClient>>
let server: Server
let target: string
let received: { headers: IncomingHttpHeaders; body: string }[] = []
let status = 200

beforeAll(async () => {
  server = createServer(async (request, reply) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
    reply.writeHead(status).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  target = `http://localhost:${(server.address() as AddressInfo).port}/hooks`
  store = await openShopify()
})

beforeEach(async () => {
  store.faults.restore()
  // Without the store's own tick: tests trigger every delivery.
  store.faults.webhooks = 'reverse'
  store.reset()
  store.controls.install()
  ask = await openAppClient(store)
  received = []
  status = 200
})

afterAll(async () => {
  await store.stop()
  server.close()
})

async function subscribe(topic: string, uri = target) {
  const query = `mutation A($topic: WebhookSubscriptionTopic!, $uri: String!) {
    webhookSubscriptionCreate(topic: $topic, webhookSubscription: { uri: $uri, format: JSON }) {
      webhookSubscription { id topic uri } userErrors { field message } } }`
  const { data, errors } = await ask(query, { topic, uri })
  return data?.webhookSubscriptionCreate ?? errors
}

const listTopics = () => received.map(({ headers }) => headers['x-shopify-topic'])
const listWebhooks = async () =>
  (await ask('{ webhookSubscriptions(first: 50) { nodes { id topic uri } } }')).data.webhookSubscriptions.nodes

test('sends checkout webhooks, signed over the raw body, with an id per event', async () => {
  await subscribe('CHECKOUTS_CREATE')
  await subscribe('CHECKOUTS_UPDATE')
  await subscribe('ORDERS_CREATE')
  store.faults.webhooks = 'none'
  const checkout = store.controls.beginCheckout([{ variantId: knife, quantity: 1 }], { email: 'ann@example.com' })
  store.controls.pay(checkout.id)
  await store.deliverWebhooks()
  await expect
    .poll(() => listTopics())
    .toEqual(['checkouts/create', 'checkouts/update', 'checkouts/update', 'checkouts/update', 'orders/create'])
  for (const { headers, body } of received) {
    const hmac = createHmac('sha256', store.keys.clientSecret).update(body).digest('base64')
    expect(headers).toMatchObject({ 'x-shopify-hmac-sha256': hmac, 'x-shopify-api-version': '2026-10' })
  }
  expect(new Set(received.map(({ headers }) => headers['x-shopify-event-id'])).size).toBe(5)
  expect(JSON.parse(received[1]!.body)).toMatchObject({
    token: checkout.token,
    email: 'ann@example.com',
    completed_at: null,
  })
  expect(JSON.parse(received[3]!.body).completed_at).not.toBeNull()
  expect(JSON.parse(received[4]!.body)).toMatchObject({ checkout_token: checkout.token, financial_status: 'paid' })
})

test.each([
  ['http://app.example/x', 'Address protocol http:// is not supported'],
  ['https://127.0.0.2/x', 'Address cannot be a Shopify or an internal domain'],
  ['https://other.myshopify.com/x', 'Address cannot be a Shopify or an internal domain'],
  ['nowhere', 'Address is invalid'],
])('rejects a webhook to %s', async (uri, message) => {
  expect((await subscribe('ORDERS_CREATE', uri)).userErrors).toEqual([
    { field: ['webhookSubscription', 'callbackUrl'], message },
  ])
})

test('accepts an address once per topic, and rejects unknown topics', async () => {
  await subscribe('ORDERS_CREATE')
  expect((await subscribe('ORDERS_CREATE')).userErrors[0].message).toBe('Address for this topic has already been taken')
  expect((await subscribe('CUSTOMERS_REDACT'))[0].message).toContain('was provided invalid value')
  const [{ id }] = await listWebhooks()
  await ask(`mutation { webhookSubscriptionDelete(id: "${id}") { deletedWebhookSubscriptionId } }`)
  expect(await listWebhooks()).toEqual([])
})

test('retries for four hours, and deletes a subscription after eight failures in a row', async () => {
  await subscribe('PRODUCTS_UPDATE')
  status = 500
  store.controls.setPrice(knife, 4_300)
  let rounds = 0
  while ((await listWebhooks()).length > 0 && rounds < 20) {
    await store.deliverWebhooks()
    store.controls.advance(80 * 60_000)
    rounds += 1
  }
  expect(received).toHaveLength(8)
  expect(new Set(received.map(({ headers }) => headers['x-shopify-event-id'])).size).toBe(1)
})

test('resets the failure count after a successful delivery', async () => {
  await subscribe('PRODUCTS_UPDATE')
  status = 500
  store.controls.setPrice(knife, 4_300)
  await store.deliverWebhooks()
  status = 200
  store.controls.advance(hour)
  await store.deliverWebhooks()
  expect(received).toHaveLength(2)
  store.controls.advance(5 * hour)
  expect(await store.deliverWebhooks()).toBe(0)
  expect(await listWebhooks()).toHaveLength(1)
})

test('drops, duplicates and reorders webhooks on request', async () => {
  await subscribe('CHECKOUTS_CREATE')
  await subscribe('CHECKOUTS_UPDATE')
  store.controls.beginCheckout([{ variantId: knife, quantity: 1 }], { email: 'a@example.com' })
  await store.deliverWebhooks()
  expect(listTopics()).toEqual(['checkouts/update', 'checkouts/create'])
  received = []
  store.faults.webhooks = 'double'
  store.faults.topics = ['CHECKOUTS_CREATE']
  store.controls.beginCheckout([{ variantId: knife, quantity: 1 }])
  await store.deliverWebhooks()
  await expect.poll(() => received.length).toBe(2)
  const [first, second] = received.map(({ headers }) => headers)
  expect(first!['x-shopify-event-id']).toBe(second!['x-shopify-event-id'])
  expect(first!['x-shopify-webhook-id']).not.toBe(second!['x-shopify-webhook-id'])
  received = []
  store.faults.webhooks = 'drop'
  store.controls.beginCheckout([{ variantId: knife, quantity: 1 }])
  expect(await store.deliverWebhooks()).toBe(0)
})

test('sends given and withdrawn consent by its own topic', async () => {
  await subscribe('CUSTOMERS_EMAIL_MARKETING_CONSENT_UPDATE')
  const [customer] = store.controls.customers()
  store.controls.setConsent(customer!.id, 'email', { state: 'UNSUBSCRIBED', level: 'SINGLE_OPT_IN' })
  await store.deliverWebhooks()
  expect(listTopics()).toEqual(['customers_email_marketing_consent/update'])
  expect(JSON.parse(received[0]!.body)).toMatchObject({
    customer_id: customer!.id,
    email_address: 'nora.lindqvist@example.com',
    email_marketing_consent: { state: 'unsubscribed', opt_in_level: 'single_opt_in' },
  })
})

test('nulls personal data in bodies that the app may not read', async () => {
  await subscribe('CHECKOUTS_UPDATE')
  store.controls.setPlan('basic')
  store.controls.beginCheckout([{ variantId: knife, quantity: 1 }], { email: 'ann@example.com' })
  await store.deliverWebhooks()
  expect(JSON.parse(received[0]!.body)).toMatchObject({ email: null, customer: { email: null } })
  store.controls.setPlan('grow')
})

test('signs with the old secret for the given time after a rotation', async () => {
  await subscribe('PRODUCTS_UPDATE')
  const old = store.keys.clientSecret
  const fresh = store.controls.rotateSecret(hour)
  const signedWith = (secret: string) =>
    createHmac('sha256', secret).update(received.at(-1)!.body).digest('base64') ===
    received.at(-1)!.headers['x-shopify-hmac-sha256']
  store.controls.setPrice(knife, 4_400)
  await store.deliverWebhooks()
  expect([signedWith(old), signedWith(fresh)]).toEqual([true, false])
  store.controls.advance(hour + 1)
  store.controls.setPrice(knife, 4_500)
  await store.deliverWebhooks()
  expect([signedWith(old), signedWith(fresh)]).toEqual([false, true])
  store.keys.clientSecret = fresh
})

test('reports changed scopes and an uninstalled app', async () => {
  await subscribe('APP_SCOPES_UPDATE')
  await subscribe('APP_UNINSTALLED')
  store.controls.setScopes(['read_orders'])
  store.controls.setScopes(allScopes)
  store.controls.uninstall()
  await store.deliverWebhooks()
  expect(listTopics().toSorted()).toEqual(['app/scopes_update', 'app/scopes_update', 'app/uninstalled'])
})

test('sends privacy requests to the configured address', async () => {
  const [customer] = store.controls.customers()
  expect(await store.controls.privacy(target, 'customers/redact', customer)).toBe(200)
  expect(received[0]!.headers['x-shopify-topic']).toBe('customers/redact')
  expect(JSON.parse(received[0]!.body)).toMatchObject({
    shop_domain: 'fern-and-finch.myshopify.com',
    customer: { id: customer!.id, email: customer!.email },
    orders_to_redact: [],
  })
})
