import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { openShopifyClient } from '../../../test/shopify-client.ts'
import type { RawDelivery } from '../platform/platform.ts'
import { canDeliverTo, readDelivery, TOPICS, webhookSecret } from './webhooks.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

const SECRET = 'shpss_0123456789'

function delivery(topic: string, body: unknown, headers: Record<string, string> = {}): RawDelivery {
  const rawBody = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const signature = createHmac('sha256', SECRET).update(rawBody).digest('base64')
  return {
    rawBody,
    headers: { 'x-shopify-topic': topic, 'x-shopify-hmac-sha256': signature, 'x-shopify-event-id': 'e-1', ...headers },
  }
}

const read = (topic: string, body: unknown) => readDelivery(delivery(topic, body), SECRET)

describe('a signature', () => {
  test('covers the raw bytes with the app’s secret', () => {
    const raw = delivery('orders/create', { id: 7 })
    expect(readDelivery(raw, SECRET)).toMatchObject({ kind: 'order' })
    expect(readDelivery(raw, `${SECRET}x`)).toBeNull()
    expect(readDelivery(raw, '')).toBeNull()
    expect(readDelivery({ ...raw, rawBody: Buffer.concat([raw.rawBody, Buffer.from(' ')]) }, SECRET)).toBeNull()
    expect(readDelivery({ ...raw, headers: { 'x-shopify-topic': 'orders/create' } }, SECRET)).toBeNull()
    expect(readDelivery({ ...raw, headers: { ...raw.headers, 'x-shopify-hmac-sha256': 'AAAA' } }, SECRET)).toBeNull()
  })

  test('uses the app’s secret in either form of keys', () => {
    expect(webhookSecret({ kind: 'shopify_app', clientId: 'a', clientSecret: 'b' })).toBe('b')
    expect(webhookSecret({ kind: 'shopify_token', accessToken: 'a', apiSecret: 'c' })).toBe('c')
  })

  test('is used with public https addresses only', () => {
    expect(canDeliverTo('https://recoup.example.com')).toBe(true)
    expect(canDeliverTo('http://recoup.example.com')).toBe(false)
    expect(canDeliverTo('https://localhost')).toBe(false)
    expect(canDeliverTo('https://192.168.1.7')).toBe(false)
  })
})

describe('the subject of a delivery', () => {
  test.each([
    ['orders/create', { id: 7 }, { kind: 'order', order: { orderId: '7' } }],
    ['orders/paid', { admin_graphql_api_id: 'gid://shopify/Order/8' }, { kind: 'order', order: { orderId: '8' } }],
    [
      'checkouts/update',
      { id: 9, token: 'eeafa272cebfd4b2', cart_token: 'hWN2abcdef12?key=99' },
      { kind: 'checkout', checkoutId: '9', checkoutToken: 'eeafa272cebfd4b2', cartToken: 'hWN2abcdef12' },
    ],
    ['checkouts/delete', { id: 9 }, { kind: 'checkout', checkoutId: '9', checkoutToken: null }],
    ['customers/update', { id: 10 }, { kind: 'customer', customerId: '10' }],
    ['customers_email_marketing_consent/update', { customer_id: 11 }, { kind: 'customer', customerId: '11' }],
    ['customers_marketing_consent/update', { id: 12, customer_id: 11 }, { kind: 'customer', customerId: '11' }],
    ['products/update', { id: 13 }, { kind: 'product', productId: '13' }],
    ['app/uninstalled', {}, { kind: 'uninstalled' }],
    ['app/scopes_update', { current: [] }, { kind: 'scopes' }],
    [
      'customers/redact',
      { shop_id: 1, customer: { id: 14, email: 'a@b.example', phone: null }, orders_to_redact: [] },
      { kind: 'privacy', request: 'redact_customer', customerId: '14', email: 'a@b.example', phone: null },
    ],
    [
      'customers/data_request',
      { shop_id: 1, customer: { id: 14 }, orders_requested: [] },
      { kind: 'privacy', request: 'data', customerId: '14' },
    ],
    [
      'shop/redact',
      { shop_id: 1, shop_domain: 'a.myshopify.com' },
      { kind: 'privacy', request: 'redact_shop', customerId: null },
    ],
    ['themes/publish', { id: 1 }, { kind: 'other' }],
  ])('%s', (topic, body, event) => {
    expect(read(topic, body)).toMatchObject({ ...event, topic, key: `${topic}|e-1` })
  })

  test('a body under a privacy topic is ignored unless it has that topic’s form, because the topic is not signed', () => {
    const order = { id: 7, customer: { id: 14, email: 'a@b.example' }, line_items: [] }
    for (const topic of ['customers/redact', 'customers/data_request', 'shop/redact']) {
      expect([topic, read(topic, order)]).toMatchObject([topic, { kind: 'other' }])
    }
    const shop = { shop_id: 1, shop_domain: 'a.myshopify.com' }
    expect(read('customers/redact', shop)).toMatchObject({ kind: 'other' })
    expect(read('shop/redact', { ...shop, id: 7 })).toMatchObject({ kind: 'other' })
  })

  test('reads a cart’s token and items, without a person', () => {
    const line = {
      product_id: 1,
      variant_id: 2,
      quantity: 3,
      title: 'Pot',
      sku: 'P',
      price: '9.99',
      price_set: { shop_money: { amount: '9.50', currency_code: 'USD' } },
    }
    const cart = { id: 'eeafa272cebfd4b2', token: 'eeafa272cebfd4b2', updated_at: '2026-11-26T07:00:00-05:00' }
    expect(read('carts/update', { ...cart, line_items: [line, { quantity: 1 }] })).toEqual({
      kind: 'cart',
      topic: 'carts/update',
      key: 'carts/update|e-1',
      cart: {
        cartToken: 'eeafa272cebfd4b2',
        modifiedAt: '2026-11-26T12:00:00Z',
        items: [
          {
            productId: '1',
            variationId: '2',
            name: 'Pot',
            sku: 'P',
            quantity: 3,
            unitPriceMinor: 950,
            imageUrl: null,
          },
        ],
      },
    })
  })

  test('reads signed garbage as `other` and never throws', () => {
    for (const topic of [...new Set(TOPICS.map((name) => name.toLowerCase().replace(/_([a-z]+)$/, '/$1')))]) {
      for (const body of ['', 'null', '[]', '{"id":{}}', '{"token":7}', 'not json']) {
        const event = read(topic, body)
        if (!topic.startsWith('app')) expect(event).toMatchObject({ kind: 'other' })
      }
    }
  })

  test('repeats have one key, from the body when there is no id', () => {
    const bare = (body: string) => readDelivery({ ...delivery('orders/create', body, {}), ...without(body) }, SECRET)
    const without = (body: string) => {
      const { 'x-shopify-event-id': _, ...headers } = delivery('orders/create', body).headers
      return { headers }
    }
    const key = (body: string) => (bare(body) as { key: string }).key
    expect(key('{"id":7}')).toBe(key('{"id":7}'))
    expect(key('{"id":7}')).not.toBe(key('{"id":7,"n":1}'))
  })
})

describe('subscriptions', () => {
  test('are created, listed and deleted for each topic', async () => {
    const one = await openShopifyClient()
    open.push(one)
    for (const topic of TOPICS) await one.client.createWebhook(topic, `${one.store.url}/hook`, 'unused')
    const listed = await one.client.webhooks()
    expect(listed.map(({ topic }) => topic).sort()).toEqual([...TOPICS].sort())
    expect(listed[0]).toMatchObject({ status: 'active', deliveryUrl: `${one.store.url}/hook` })
    await one.client.deleteWebhook(listed[0]!.id)
    await one.client.deleteWebhook(listed[0]!.id)
    expect((await one.client.webhooks()).length).toBe(TOPICS.length - 1)
  })
})
