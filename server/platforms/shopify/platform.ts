import type { Platform } from '../platform/kind.ts'
import { createShopifyClient } from './client.ts'
import { couponUrl } from './coupons.ts'
import { restoreLink } from './restore.ts'
import { canDeliverTo, readDelivery, TOPICS, webhookSecret } from './webhooks.ts'

// Shopify as a platform: wires its client, webhooks and links to the common contract.

export const shopify: Platform = {
  createClient: createShopifyClient,
  readDelivery,
  webhookTopics: TOPICS,
  webhookSecret,
  canDeliverTo,
  restoreLink,
  couponUrl: ({ storeUrl }, couponId) => couponUrl(storeUrl, couponId),
  plugin: null,
}
