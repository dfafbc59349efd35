import type { CartItem } from '../../../shared/carts/carts.ts'
import { isOnStoreHost } from '../../access/stores/public.ts'
import type { PlatformName, RefillResult } from '../../platforms/platform/public.ts'
import { findPlatform } from '../../platforms/registry/public.ts'
import type { Availability } from './restore-sql.ts'

// Decides for each item of a restored cart whether and how it can be put back (decision 14). Pure.

/** `choose_again`: the store cannot add it by a link, so the shopper has to. */
export type ItemOutcome = 'ok' | 'quantity_clamped' | 'price_changed' | 'gone' | 'choose_again'

export interface RestoredItem extends CartItem {
  outcome: ItemOutcome
  /** Quantity and unit price in the abandoned cart; the item's own fields are the current ones. */
  before: { quantity: number; unitPriceMinor: number }
  /** The product's page in the store. */
  permalink: string | null
  /** null: unknown. */
  isOnSale: boolean | null
}

interface RestoreCapabilities {
  platform: PlatformName
  home_url: string
  has_checkout_link: boolean
}

/**
 * Plans from our copy of the catalogue. A store without `/checkout-link/` takes one product, unless the plugin or an
 * unpaid order restores the cart as a whole.
 */
export function planItems(
  items: readonly CartItem[],
  products: readonly Availability[],
  store: RestoreCapabilities & { isWhole: boolean },
): RestoredItem[] {
  const planned = items
    .map((item) => toRestoredItem(item, products))
    .map((item) => ({ ...item, permalink: isOnStoreHost(item.permalink, store) ? item.permalink : null }))
  if (store.has_checkout_link || store.isWhole) return planned
  const profile = { homeUrl: store.home_url, hasCheckoutLink: false }
  const restorable = findPlatform(store.platform).restoreLink(profile, planned.filter(isRestorable))?.items ?? []
  return planned.map((item) => (isRestorable(item) && !restorable.includes(item) ? chooseAgain(item) : item))
}

export const isRestorable = ({ outcome }: RestoredItem): boolean => outcome !== 'gone' && outcome !== 'choose_again'

/** Compares one line with the catalogue. A product missing in our copy counts as available; the store decides. */
export function toRestoredItem(line: CartItem, products: readonly Availability[]): RestoredItem {
  const product =
    products.find((row) => row.product_id === line.productId && row.variation_id === (line.variationId ?? '')) ??
    products.find((row) => row.product_id === line.productId && row.variation_id === '')
  const before = { quantity: line.quantity, unitPriceMinor: line.unitPriceMinor }
  const item = { ...line, before, permalink: product?.permalink ?? null, isOnSale: product?.is_on_sale ?? null }
  if (!product) return { ...item, outcome: 'ok' }
  const stock = product.stock_quantity
  if (!product.is_available || stock === 0) return { ...item, outcome: 'gone' }
  if (product.has_open_choice && !line.choices?.length) return { ...item, outcome: 'choose_again' }
  const unitPriceMinor = getCurrentPrice(line, product)
  if (stock !== null && stock > 0 && stock < item.quantity)
    return { ...item, unitPriceMinor, quantity: stock, outcome: 'quantity_clamped' }
  if (unitPriceMinor !== item.unitPriceMinor) return { ...item, unitPriceMinor, outcome: 'price_changed' }
  return { ...item, outcome: 'ok' }
}

/**
 * Uses the new price only if the cart's was the old catalogue price. Any other price belongs to a bundle, an extra or
 * an offer, or includes tax that the catalogue's does not.
 */
const getCurrentPrice = ({ unitPriceMinor }: CartItem, product: Availability): number =>
  unitPriceMinor === product.was_price_minor ? product.price_minor : unitPriceMinor

/** Replaces the planned outcomes by what the store actually put into the cart. */
export function applyRefill(items: readonly RestoredItem[], { lines }: RefillResult): RestoredItem[] {
  const remaining = new Map<string, number>()
  for (const { id, quantity } of lines) remaining.set(id, (remaining.get(id) ?? 0) + quantity)
  return items.map((item) => {
    if (!isRestorable(item)) return item
    const id = item.variationId ?? item.productId
    const quantity = Math.min(remaining.get(id) ?? 0, item.quantity)
    remaining.set(id, (remaining.get(id) ?? 0) - quantity)
    if (quantity === item.quantity) return item
    return quantity === 0 ? chooseAgain(item) : { ...item, quantity, outcome: 'quantity_clamped' }
  })
}

const chooseAgain = (item: RestoredItem): RestoredItem => ({ ...item, outcome: 'choose_again' })

type Line = Pick<CartItem, 'productId' | 'variationId' | 'quantity'>

export function isSameCart(one: readonly Line[], other: readonly Line[]): boolean {
  const listLines = (lines: readonly Line[]) =>
    lines.map(({ productId, variationId, quantity }) => `${productId}/${variationId ?? ''}:${quantity}`).sort()
  return listLines(one).join() === listLines(other).join()
}
