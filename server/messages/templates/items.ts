// A cart's items for a mail. Names and pictures come from a store and are untrusted.
import { parseWebAddress, type TemplateCoupon } from './context.ts'

/** Maximum number of items in a mail. */
const SHOWN_ITEMS = 12

export interface CleanItem {
  name: string
  quantity: number
  /** Empty: no price, or sold out. */
  unitPrice: string
  lineTotal: string
  imageUrl: string | null
  isGone: boolean
}

export const SOLD_OUT = 'Sold out'

export function cleanImageUrl(text: string, storeHosts: ReadonlySet<string>): string | null {
  const url = text.length <= 1_000 ? parseWebAddress(text) : null
  if (!url) return null
  const { protocol, host } = new URL(url)
  return protocol === 'https:' || storeHosts.has(host) ? url : null
}

/** The cart as shown in a mail: items and coupon. */
export interface ShownCart {
  items: CleanItem[]
  coupon: TemplateCoupon | null
  /** Empty: unknown. */
  cartTotal: string
}

export const limitItems = (items: readonly CleanItem[]): CleanItem[] => items.slice(0, SHOWN_ITEMS)

/** Counts the items that a mail omits; null: it shows all. */
export function countHiddenItems(items: readonly CleanItem[]): string | null {
  const more = items.length - SHOWN_ITEMS
  if (more <= 0) return null
  return more === 1 ? 'and 1 more item' : `and ${more} more items`
}

export const TOTAL = 'Total with the coupon'

/** The saving or discount; empty where neither is known. */
export const describeSaving = ({ saving, amount, offer }: TemplateCoupon) =>
  saving === null ? amount || describeFreeShipping(offer) : `−${saving}`

const describeFreeShipping = (offer: string) => (offer === 'free shipping' ? 'Free shipping' : '')
