import crypto from 'node:crypto'
import type { PlatformCheckout } from '../server/platforms/platform/platform.ts'
import { type ConnectedStore, connectFakeStore, registerOwner } from './connected-store.ts'
import { createFakeStore, type FakeStore } from './fake-store.ts'
import type { World } from './world.ts'

// Test support: a Shopify store and its webhook deliveries.

export const CLIENT_SECRET = 'shpss_of_the_tests'

export const createAppAccess = (): NonNullable<FakeStore['profile']['rights']> => ({
  scopes: ['read_orders', 'read_customers', 'read_products', 'write_discounts', 'read_all_orders'],
  missingScopes: [],
  protectedData: 'full',
  hasAllOrders: true,
  planName: 'Grow',
  isPasswordProtected: false,
})

export function createShopifyFake(name = `shop-${crypto.randomUUID().slice(0, 8)}`): FakeStore {
  const fake = createFakeStore(`https://${name}.example.com`)
  fake.profile = {
    ...fake.profile,
    storeUrl: `https://${name}.myshopify.com`,
    version: '2026-10',
    hasEarlyDrafts: false,
    rights: createAppAccess(),
  }
  return fake
}

export const buildConnectForm = (fake: FakeStore, secret = CLIENT_SECRET) => ({
  platform: 'shopify',
  store_url: fake.profile.storeUrl,
  consumer_key: undefined,
  consumer_secret: undefined,
  client_id: 'client-1',
  client_secret: secret,
})

export async function createShopifyStore(world: World, fake = createShopifyFake()): Promise<ConnectedStore> {
  const owner = await registerOwner(world, 'growth')
  const { body } = await connectFakeStore(world, owner, fake, buildConnectForm(fake))
  world.queued.length = 0
  return { owner, fake, storeId: body.store.id, captureKey: body.store.captureKey }
}

interface Delivered {
  topic: string
  body?: object
  /** Raw bytes instead of a body. */
  raw?: string
  id?: string
  secret?: string
}

/** Delivers as Shopify does: signed with the app's secret over the raw bytes. */
export async function deliverWebhook(
  world: World,
  key: string,
  { topic, body, raw, id, secret = CLIENT_SECRET }: Delivered,
) {
  const payload = raw ?? JSON.stringify(body)
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/webhooks/shopify/${key}`,
    payload,
    headers: {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-event-id': id ?? crypto.randomUUID(),
      'x-shopify-webhook-id': crypto.randomUUID(),
      'x-shopify-hmac-sha256': crypto.createHmac('sha256', secret).update(payload).digest('base64'),
    },
  })
  return reply.statusCode
}

export function buildCheckout(
  checkout: Partial<PlatformCheckout> & { checkoutId: string; modifiedAt: string },
): PlatformCheckout {
  return {
    checkoutToken: `token-${checkout.checkoutId}`,
    cartToken: null,
    createdAt: checkout.modifiedAt,
    completedAt: null,
    currency: 'USD',
    totalMinor: 1_800,
    subtotalMinor: 1_800,
    discountMinor: 0,
    customerId: null,
    email: `shopper-${checkout.checkoutId}@mail.example.org`,
    phone: null,
    firstName: 'Grace',
    lastName: 'Hopper',
    country: 'US',
    locale: 'en',
    items: [
      {
        productId: '16',
        variationId: '161',
        name: 'Enamel Mug',
        sku: 'MUG',
        quantity: 1,
        unitPriceMinor: 1_800,
        imageUrl: null,
      },
    ],
    coupons: [],
    restoreUrl: null,
    consents: [],
    ...checkout,
  }
}
