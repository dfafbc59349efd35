// The context of every part of the demo store: database, clock, address and settings.
import type { LookupFunction } from 'node:net'
import type { Pricing } from './pricing.ts'
import type { Db } from './sqlite.ts'

export const storeName = 'Maple & Clay'
export const storeTagline = 'Tea, coffee and the pots to make them in'
export const storeTimeZone = 'America/New_York'
/** The recorded WooCommerce version, which the store reports by default. */
export const wooVersion = '10.4.4'
export const wordpressVersion = '6.9'

export const gateways = [
  { id: 'bacs', title: 'Direct bank transfer', method: 'Direct bank transfer' },
  { id: 'cod', title: 'Cash on delivery', method: 'Cash on delivery' },
  { id: 'testcard', title: 'Credit card (test)', method: 'Test card' },
] as const

export type Capture = { scriptUrl: string; storeKey: string }

export type Shop = {
  db: Db
  /** Milliseconds since the epoch. */
  now: () => number
  /** Home URL without a trailing slash. Signatures, links and webhooks use it regardless of Host. */
  home: string
  isSsl: boolean
  secret: string
  /** WooCommerce version. Before 10 it has no checkout links and ignores the status in coupon writes. */
  version: string
  pricing: Pricing
  sellingCountries: string[]
  prettyPermalinks: boolean
  allowedWebhookHosts: string[]
  /** Resolves the host names of webhook targets. */
  lookup: LookupFunction
  webhookDelayMs: number
  holdStockMinutes: number
}

export function isOldVersion({ version }: Shop): boolean {
  return Number.parseInt(version, 10) < 10
}

export function readSeconds(shop: Shop): number {
  return Math.floor(shop.now() / 1000)
}
