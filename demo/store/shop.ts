// What every part of the demo store is handed: its database, its clock, its address and what it sells where.
import type { LookupFunction } from 'node:net'
import type { Db } from './sqlite.ts'

export const storeName = 'Maple & Clay'
export const storeTagline = 'Tea, coffee and the pots to make them in'
export const storeZone = 'America/New_York'
export const baseState = 'VT'
export const wooVersion = '10.4.4'
export const wordpressVersion = '6.9'

/** One sales tax, charged on goods (not on shipping) to addresses in the store's own state. */
export const salesTax = { id: 1, code: 'US-VT-VT SALES TAX-1', label: 'VT Sales Tax', percent: 6, state: baseState }

export const flatRate = { id: 'flat_rate:1', method: 'flat_rate', instance: 1, name: 'Flat rate', costMinor: 800 }
export const freeShipping = { id: 'free_shipping:2', method: 'free_shipping', instance: 2, name: 'Free shipping' }
export const freeShippingFromMinor = 10_000

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
  sellingCountries: string[]
  prettyPermalinks: boolean
  allowedWebhookHosts: string[]
  /** How the names of webhook targets are resolved. */
  lookup: LookupFunction
  webhookDelayMs: number
  holdStockMinutes: number
}

export function nowSeconds(shop: Shop): number {
  return Math.floor(shop.now() / 1000)
}
