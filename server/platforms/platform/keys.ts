import { z } from 'zod'
import type { StoreKeys } from './access.ts'

// The stored form of a store's keys: JSON, encrypted.

const StoredKeys = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('woocommerce'), consumerKey: z.string(), consumerSecret: z.string() }),
  z.object({ kind: z.literal('shopify_app'), clientId: z.string(), clientSecret: z.string() }),
  z.object({ kind: z.literal('shopify_token'), accessToken: z.string(), apiSecret: z.string() }),
])

/** Keys stored before the second platform have no kind. */
export function parseKeys(json: string): StoreKeys {
  const stored: unknown = JSON.parse(json)
  return StoredKeys.parse(typeof stored === 'object' ? { kind: 'woocommerce', ...stored } : stored)
}
