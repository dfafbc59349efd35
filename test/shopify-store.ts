import crypto from 'node:crypto'
import type { PlatformCheckout } from '../server/platforms/platform/platform.ts'
import { anOwner, type Connected, connect } from './connected-store.ts'
import { aFakeStore, type FakeStore } from './fake-store.ts'
import type { World } from './world.ts'

// A Shopify store of the tests, and what it delivers.

export const CLIENT_SECRET = 'shpss_of_the_tests'

export const aShopifyRights = (): NonNullable<FakeStore['profile']['rights']> => ({
  scopes: ['read_orders', 'read_customers', 'read_products', 'write_discounts', 'read_all_orders'],
  missingScopes: [],
  protectedData: 'full',
  hasAllOrders: true,
  planName: 'Grow',
  isPasswordProtected: false,
})

export function aShopifyFake(name = `shop-${crypto.randomUUID().slice(0, 8)}`): FakeStore {
  const fake = aFakeStore(`https://${name}.example.com`)
  fake.profile = {
    ...fake.profile,
    storeUrl: `https://${name}.myshopify.com`,
    version: '2026-10',
    hasEarlyDrafts: false,
    rights: aShopifyRights(),
  }
  return fake
}

export const shopifyForm = (fake: FakeStore, secret = CLIENT_SECRET) => ({
  platform: 'shopify',
  store_url: fake.profile.storeUrl,
  consumer_key: undefined,
  consumer_secret: undefined,
  client_id: 'client-1',
  client_secret: secret,
})

export async function aShopifyStore(world: World, fake = aShopifyFake()): Promise<Connected> {
  const owner = await anOwner(world, 'growth')
  const { body } = await connect(world, owner, fake, shopifyForm(fake))
  world.queued.length = 0
  return { owner, fake, storeId: body.store.id, captureKey: body.store.captureKey }
}

interface Delivered {
  topic: string
  body?: object
  /** Instead of a body: these bytes. */
  raw?: string
  id?: string
  secret?: string
}

/** As Shopify sends it: signed with the secret of the app, over the raw bytes. */
export async function deliver(world: World, key: string, { topic, body, raw, id, secret = CLIENT_SECRET }: Delivered) {
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

export function aCheckout(
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
    language: 'en',
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
