import type { CartItem } from '../../shared/carts.ts'
import { restoreTexts } from '../../shared/restore.ts'
import type { Db, StoreDb } from '../db.ts'
import { transact } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { restoreUrl } from '../platforms/woocommerce-restore.ts'
import { tokenHash } from '../secrets.ts'
import { readUnpaidOrder } from '../stores/unpaid.ts'
import * as system from '../system.ts'
import * as sql from './restore-sql.ts'
import { recordTouch } from './touch.ts'

// Bringing a cart back (decisions 4 and 14). Whoever holds a message's restore token sees items and prices, no person.

export interface Restorable {
  items: CartItem[]
  valueMinor: number
  currency: string
  storeName: string
  expiresAt: Date
}

export async function readRestorable(deps: Deps, token: string): Promise<Restorable> {
  const { link, cart } = await openToken(deps, token)
  return {
    items: cart.items,
    valueMinor: cart.value_minor,
    currency: cart.currency,
    storeName: cart.store_name,
    expiresAt: link.expires_at,
  }
}

export type ItemOutcome = 'ok' | 'quantity_clamped' | 'price_changed' | 'gone'

export interface RestoredItem extends CartItem {
  outcome: ItemOutcome
  /** The quantity and the price of one as they stood in the cart; the item's own are what the store gives now. */
  before: { quantity: number; unitPriceMinor: number }
}

/** The shopper pressed Restore: a touch (A1), what is still to be had, and where the refilled cart is. */
export async function restoreCart(
  deps: Deps,
  token: string,
): Promise<{ items: RestoredItem[]; currency: string; checkoutUrl: string | null }> {
  const { link, cart, store } = await openToken(deps, token)
  const now = deps.now()
  const products = await sql.availabilityOf(store, [...new Set(cart.items.map((item) => item.productId))])
  const items = cart.items.map((item) => outcomeOf(item, products))
  const messageId = link.message_id
  if (!link.is_test && messageId !== null) {
    await transact(store, async (tx) => {
      const touch = { id: newId(), messageId, cartId: cart.id, kind: 'restore' as const, at: now }
      await recordTouch(tx, { ...touch, isHuman: true, reason: 'pressed_restore' })
    })
  }
  return { items, currency: cart.currency, checkoutUrl: await checkoutOf(deps, store, cart, items) }
}

type RestorableCart = NonNullable<Awaited<ReturnType<typeof sql.restorableCart>>>

/** The best way the store has (decision 14): the whole cart at once, the order that was placed and not paid, or one product. */
async function checkoutOf(deps: Deps, store: StoreDb<Db>, cart: RestorableCart, items: readonly RestoredItem[]) {
  const profile = { homeUrl: cart.home_url, hasCheckoutLink: cart.has_checkout_link }
  const paymentUrl = profile.hasCheckoutLink ? null : await paymentUrlOf(deps, store, cart, items)
  const available = items.filter((item) => item.outcome !== 'gone')
  // The store judges a code itself; one that has ended costs the shopper nothing but the discount.
  return paymentUrl ?? restoreUrl(profile, available, cart.coupons[0] ?? null)
}

async function paymentUrlOf(deps: Deps, store: StoreDb<Db>, cart: RestorableCart, items: readonly RestoredItem[]) {
  const unpaid = Object.keys(cart.orders).filter((id) => ['pending', 'failed'].includes(cart.orders[id]!))
  const newest = unpaid.sort((a, b) => Number(b) - Number(a))[0]
  // What has changed since would be charged as it was ordered.
  if (newest === undefined || items.some(({ outcome }) => outcome !== 'ok')) return null
  const order = await readUnpaidOrder(deps, store, newest)
  return order && isSameCart(items, order.items) && isOfStore(order.paymentUrl, cart.home_url) ? order.paymentUrl : null
}

type Line = Pick<CartItem, 'productId' | 'variationId' | 'quantity'>

function isSameCart(one: readonly Line[], other: readonly Line[]): boolean {
  const linesOf = (lines: readonly Line[]) =>
    lines.map(({ productId, variationId, quantity }) => `${productId}/${variationId ?? ''}:${quantity}`).sort()
  return linesOf(one).join() === linesOf(other).join()
}

/** Nobody is sent anywhere else (X1). */
function isOfStore(url: string | null, homeUrl: string): boolean {
  return url !== null && URL.parse(url)?.origin === URL.parse(homeUrl)?.origin
}

/** Pure: what the shop's catalogue says of one line. A product the mirror has never seen is left to the store to judge. */
export function outcomeOf(line: CartItem, products: readonly sql.Availability[]): RestoredItem {
  const item = { ...line, before: { quantity: line.quantity, unitPriceMinor: line.unitPriceMinor } }
  const product =
    products.find((row) => row.product_id === item.productId && row.variation_id === (item.variationId ?? '')) ??
    products.find((row) => row.product_id === item.productId && row.variation_id === '')
  if (!product) return { ...item, outcome: 'ok' }
  const stock = product.stock_quantity
  if (!product.is_available || stock === 0) return { ...item, outcome: 'gone' }
  const unitPriceMinor = product.price_minor
  if (stock !== null && stock > 0 && stock < item.quantity)
    return { ...item, unitPriceMinor, quantity: stock, outcome: 'quantity_clamped' }
  if (unitPriceMinor !== item.unitPriceMinor) return { ...item, unitPriceMinor, outcome: 'price_changed' }
  return { ...item, outcome: 'ok' }
}

/** Whatever is not a link gets one answer, after the same one look-up: neither words nor time tell unknown from ended or malformed. */
async function openToken(deps: Deps, token: string) {
  const notFound = () => new AppError('not_found', restoreTexts.notFound)
  const isToken = /^rt_[\w-]{43}$/.test(token)
  const link = await system.linkToken(deps.db, tokenHash(isToken ? token.slice(3) : ''), 'restore', deps.now())
  if (!link) throw notFound()
  const store = { storeId: link.store_id, db: deps.db as Db }
  const cart = await sql.restorableCart(store, link.cart_id)
  if (!cart) throw notFound()
  return { link, cart, store }
}
