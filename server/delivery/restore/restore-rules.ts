import type { CartItem } from '../../../shared/carts.ts'
import type { PlatformName, Refilled } from '../../platforms/platform/platform.ts'
import { platformOf } from '../../platforms/registry/registry.ts'
import { isOnStoreHost } from '../../access/stores/rules.ts'
import type { Availability } from './restore-sql.ts'

// What becomes of each item of a cart that is brought back (decision 14). Pure.

/** choose_again: the store cannot be told to put it in, so the shopper has to. */
export type ItemOutcome = 'ok' | 'quantity_clamped' | 'price_changed' | 'gone' | 'choose_again'

export interface RestoredItem extends CartItem {
  outcome: ItemOutcome
  /** The quantity and the price of one as they stood in the cart; the item's own are what the store gives now. */
  before: { quantity: number; unitPriceMinor: number }
  /** The product's page in the store. */
  permalink: string | null
  /** null: not known. */
  isOnSale: boolean | null
}

interface StoreWays {
  platform: PlatformName
  home_url: string
  has_checkout_link: boolean
}

/** What is known before the store is asked. A store without `/checkout-link/` takes one product, or an unpaid order as a whole. */
export function planItems(
  items: readonly CartItem[],
  products: readonly Availability[],
  store: StoreWays & { hasUnpaidOrder: boolean },
): RestoredItem[] {
  const planned = items
    .map((item) => outcomeOf(item, products))
    .map((item) => ({ ...item, permalink: isOnStoreHost(item.permalink, store) ? item.permalink : null }))
  if (store.has_checkout_link || store.hasUnpaidOrder) return planned
  const profile = { homeUrl: store.home_url, hasCheckoutLink: false }
  const taken = platformOf(store.platform).restoreLink(profile, planned.filter(isTaken))?.items ?? []
  return planned.map((item) => (isTaken(item) && !taken.includes(item) ? chooseAgain(item) : item))
}

export const isTaken = ({ outcome }: RestoredItem): boolean => outcome !== 'gone' && outcome !== 'choose_again'

/** What the shop's catalogue says of one line. A product the mirror has never seen is left to the store to judge. */
export function outcomeOf(line: CartItem, products: readonly Availability[]): RestoredItem {
  const product =
    products.find((row) => row.product_id === line.productId && row.variation_id === (line.variationId ?? '')) ??
    products.find((row) => row.product_id === line.productId && row.variation_id === '')
  const before = { quantity: line.quantity, unitPriceMinor: line.unitPriceMinor }
  const item = { ...line, before, permalink: product?.permalink ?? null, isOnSale: product?.is_on_sale ?? null }
  if (!product) return { ...item, outcome: 'ok' }
  const stock = product.stock_quantity
  if (!product.is_available || stock === 0) return { ...item, outcome: 'gone' }
  if (product.has_open_choice && !line.choices?.length) return { ...item, outcome: 'choose_again' }
  const unitPriceMinor = priceNow(line, product)
  if (stock !== null && stock > 0 && stock < item.quantity)
    return { ...item, unitPriceMinor, quantity: stock, outcome: 'quantity_clamped' }
  if (unitPriceMinor !== item.unitPriceMinor) return { ...item, unitPriceMinor, outcome: 'price_changed' }
  return { ...item, outcome: 'ok' }
}

/**
 * Another one only where the item was taken at what the product cost before: any other price is of a bundle, an extra or an offer, or has tax
 * that the catalogue's has not.
 */
const priceNow = ({ unitPriceMinor }: CartItem, product: Availability): number =>
  unitPriceMinor === product.was_price_minor ? product.price_minor : unitPriceMinor

/** What the store really put into the cart has the last word. */
export function asRefilled(items: readonly RestoredItem[], { lines }: Refilled): RestoredItem[] {
  const left = new Map<string, number>()
  for (const { id, quantity } of lines) left.set(id, (left.get(id) ?? 0) + quantity)
  return items.map((item) => {
    if (!isTaken(item)) return item
    const id = item.variationId ?? item.productId
    const quantity = Math.min(left.get(id) ?? 0, item.quantity)
    left.set(id, (left.get(id) ?? 0) - quantity)
    if (quantity === item.quantity) return item
    return quantity === 0 ? chooseAgain(item) : { ...item, quantity, outcome: 'quantity_clamped' }
  })
}

const chooseAgain = (item: RestoredItem): RestoredItem => ({ ...item, outcome: 'choose_again' })

type Line = Pick<CartItem, 'productId' | 'variationId' | 'quantity'>

export function isSameCart(one: readonly Line[], other: readonly Line[]): boolean {
  const linesOf = (lines: readonly Line[]) =>
    lines.map(({ productId, variationId, quantity }) => `${productId}/${variationId ?? ''}:${quantity}`).sort()
  return linesOf(one).join() === linesOf(other).join()
}
