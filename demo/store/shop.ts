// What every part of the demo store is handed: its database, its clock, its address and what it sells where.
import type { LookupFunction } from 'node:net'
import type { Pricing } from './pricing.ts'
import type { Db } from './sqlite.ts'

export const storeName = 'Maple & Clay'
export const storeTagline = 'Tea, coffee and the pots to make them in'
export const storeZone = 'America/New_York'
/** The version whose answers were recorded, and which the store says it is unless told otherwise. */
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
  /** The home URL without a slash at its end: signatures, links and webhooks use it whatever Host was asked for. */
  home: string
  isSsl: boolean
  secret: string
  /** Of WooCommerce. Before 10 it has no checkout links, and ignores the status in a coupon write. */
  version: string
  pricing: Pricing
  sellingCountries: string[]
  prettyPermalinks: boolean
  allowedWebhookHosts: string[]
  /** How the names of webhook targets are resolved. */
  lookup: LookupFunction
  webhookDelayMs: number
  holdStockMinutes: number
}

export function isOldVersion({ version }: Shop): boolean {
  return Number.parseInt(version, 10) < 10
}

export function nowSeconds(shop: Shop): number {
  return Math.floor(shop.now() / 1000)
}
