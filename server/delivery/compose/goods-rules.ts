import type { CartItem } from '../../../shared/carts/carts.ts'
import { buildGoodsKey, type Goods, type Terms } from '../../carts/sync/public.ts'

// A cart's items at current stock and prices. Pure.

export interface PricedItem extends CartItem {
  /** Sold out or no longer sold. */
  isGone?: boolean
}

interface Contents {
  items: readonly CartItem[]
  value_minor: number
  currency: string | null
}

const indexTerms = (goods: Goods | null): ReadonlyMap<string, Terms> =>
  goods && 'terms' in goods ? goods.terms : new Map()

const isGone = (terms: ReadonlyMap<string, Terms>, item: CartItem) =>
  terms.get(buildGoodsKey(item))?.isAvailable === false

/** No item is available any more. */
export function isAllUnavailable({ items }: Pick<Contents, 'items'>, goods: Goods | null): boolean {
  const terms = indexTerms(goods)
  return items.length > 0 && items.every((item) => isGone(terms, item))
}

/** Stock and price of an item were not read, so it could be sold out. */
export function isUnknown({ items }: Pick<Contents, 'items'>, goods: Goods): boolean {
  const terms = indexTerms(goods)
  return items.some((item) => !terms.has(buildGoodsKey(item)))
}

/** Lists available items at current prices first, then unavailable ones, which are not in the total. */
export function buildCurrentContents(cart: Contents, goods: Goods | null): { items: PricedItem[]; valueMinor: number } {
  const terms = indexTerms(goods)
  const unavailable = cart.items.filter((item) => isGone(terms, item))
  const available = cart.items.filter((item) => !isGone(terms, item))
  const priced = available.map((item) => ({
    ...item,
    unitPriceMinor: getPrice(item, terms.get(buildGoodsKey(item)), cart.currency),
  }))
  const items = [...priced, ...unavailable.map((item) => ({ ...item, isGone: true }))]
  const isSame =
    unavailable.length === 0 && priced.every((item, at) => item.unitPriceMinor === available[at]!.unitPriceMinor)
  const sum = priced.reduce((total, item) => total + item.quantity * item.unitPriceMinor, 0)
  return { items, valueMinor: isSame ? cart.value_minor : sum }
}

/**
 * Applies the new price only if the cart's price was the old product price. Another price includes an extra or an offer
 * unknown to us.
 */
function getPrice({ unitPriceMinor }: CartItem, terms: Terms | undefined, currency: string | null): number {
  if (!terms || terms.priceMinor === null || terms.currency !== currency) return unitPriceMinor
  return unitPriceMinor === terms.wasMinor ? terms.priceMinor : unitPriceMinor
}
