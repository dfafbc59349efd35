import type { StoreProfile } from './platform.ts'
import { idText } from './woocommerce-text.ts'

export interface RestoreItem {
  productId: string
  variationId: string | null
  quantity: number
}

/**
 * The address that brings a cart back without a plugin; null when no item is usable. WooCommerce ≥ 10 fills the whole cart and
 * applies the coupon (`/checkout-link/`, one line per id, the variation's id for variations). Older stores take one product a
 * link and no coupon: the first simple product, because a variation there needs its attributes too.
 */
export function restoreUrl(
  profile: Pick<StoreProfile, 'homeUrl' | 'hasCheckoutLink'>,
  items: readonly RestoreItem[],
  coupon: string | null = null,
): string | null {
  const quantities = new Map<string, number>()
  for (const item of items) {
    const id = idText(item.variationId ?? item.productId)
    const quantity = boundedQuantity(item.quantity)
    if (id && quantity > 0) quantities.set(id, Math.min((quantities.get(id) ?? 0) + quantity, MAX_QUANTITY))
  }
  const home = profile.homeUrl.replace(/\/+$/, '')
  if (!profile.hasCheckoutLink) return addToCartUrl(home, items, quantities)
  const products = [...quantities].map(([id, quantity]) => `${id}:${quantity}`).join(',')
  if (products === '') return null
  return `${home}/checkout-link/?products=${products}${coupon ? `&coupon=${encodeURIComponent(coupon.toWellFormed())}` : ''}`
}

const MAX_QUANTITY = 9_999

function addToCartUrl(home: string, items: readonly RestoreItem[], quantities: Map<string, number>): string | null {
  const usable = items.filter((item) => quantities.has(item.variationId ?? item.productId))
  const first = usable.find((item) => item.variationId === null) ?? usable[0]
  const id = first && (first.variationId ?? first.productId)
  return id ? `${home}/?add-to-cart=${id}&quantity=${quantities.get(id)}` : null
}

function boundedQuantity(quantity: number): number {
  return Number.isFinite(quantity) ? Math.min(Math.max(Math.trunc(quantity), 0), MAX_QUANTITY) : 0
}
