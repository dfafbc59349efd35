// A cart's items for a mail. Names and pictures come from a store and are untrusted.
import { cleanText, type TemplateCoupon, type TemplateItem, webAddress } from './context.ts'

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

/** Pictures only over https or from the store itself: others would reveal readers to third parties or not load. */
export function cleanItems(items: TemplateItem[], storeHosts: ReadonlySet<string>): CleanItem[] {
  return items.map((item) => ({
    name: cleanText(item.name, 120) || 'Item',
    quantity: Number.isFinite(item.quantity) ? item.quantity : 1,
    unitPrice: item.isGone ? SOLD_OUT : cleanText(item.unitPrice, 40),
    lineTotal: item.isGone ? SOLD_OUT : cleanText(item.lineTotal, 40),
    isGone: item.isGone === true,
    imageUrl: item.imageUrl === null ? null : cleanImageUrl(item.imageUrl, storeHosts),
  }))
}

export function cleanImageUrl(text: string, storeHosts: ReadonlySet<string>): string | null {
  const url = text.length <= 1_000 ? webAddress(text) : null
  if (!url) return null
  const { protocol, host } = new URL(url)
  return protocol === 'https:' || storeHosts.has(host) ? url : null
}

export const cleanCoupon = ({ code, amount, offer, ...of }: TemplateCoupon): TemplateCoupon => ({
  code: cleanText(code, 200),
  amount: cleanText(amount, 40),
  offer: cleanText(offer, 60),
  minimum: of.minimum === null ? null : cleanText(of.minimum, 40),
  expires: of.expires === null ? null : cleanText(of.expires, 60),
  saving: of.saving === null ? null : cleanText(of.saving, 40),
  total: of.total === null ? null : cleanText(of.total, 40),
})

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

/** `words`: the surrounding text, which may already contain the code. */
export function itemsText({ items, coupon }: ShownCart, words: string): string {
  if (items.length === 0) return coupon && !words.includes(coupon.code) ? couponLine(coupon) : ''
  const lines = limitItems(items).map(
    (item) => `- ${item.quantity} × ${item.name}${item.lineTotal && `: ${item.lineTotal}`}`,
  )
  const more = countHiddenItems(items)
  return [...lines, ...(more ? [more] : []), ...(coupon ? couponText(coupon) : [])].join('\n')
}

function couponText(coupon: TemplateCoupon): string[] {
  return ['', couponLine(coupon), ...(coupon.total === null ? [] : [`${TOTAL}: ${coupon.total}`])]
}

function couponLine(coupon: TemplateCoupon): string {
  const worth = describeSaving(coupon)
  return `Coupon ${coupon.code}${worth && `: ${worth}`}${coupon.expires ? ` (valid until ${coupon.expires})` : ''}`
}
