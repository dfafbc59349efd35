import { capabilities } from '../../../shared/platforms.ts'
import { type CouponOutcome, restoreTexts } from '../../../shared/restore.ts'
import type { ShopBrand } from '../../../shared/shop-brand.ts'
import { shopBrandOf } from '../../carts/brand/shop-brand.ts'
import { openWayBack } from '../../carts/capture/way-back.ts'
import { recordTouchpoint } from '../../carts/carts/touch.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { transact } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { newId } from '../../core/common/ids.ts'
import { type Limit, tryTake } from '../../core/db/rate-limits.ts'
import { tokenHash } from '../../core/common/secrets.ts'
import * as system from '../../core/db/system.ts'
import type { DiscountRules } from '../../carts/coupons/discount.ts'
import type { Deps } from '../../deps.ts'
import type { Session } from '../../access/members/session.ts'
import { lockShopperOf } from '../../messages/messages/recipient.ts'
import type { RestoreSource } from '../../platforms/platform/kind.ts'
import type { Refilled, RefillWish } from '../../platforms/platform/platform.ts'
import { platformOf, pluginOf } from '../../platforms/registry/registry.ts'
import { readPlugin } from '../../access/plugin/plugin.ts'
import { isAlive } from '../../access/plugin/rules.ts'
import { storeAccess } from '../../access/stores/access.ts'
import { chooseStore, type WantedStore } from '../../access/stores/choose.ts'
import { isOnStoreOrigin } from '../../access/stores/rules.ts'
import { refreshGoods } from '../../carts/sync/goods.ts'
import { readUnpaidOrder } from '../../carts/sync/unpaid.ts'
import { type OfferedCoupon, offeredCoupon } from './restore-coupon.ts'
import { asRefilled, isSameCart, isTaken, planItems, type RestoredItem } from './restore-rules.ts'
import * as sql from './restore-sql.ts'

// Bringing a cart back (decisions 4 and 14). Whoever holds a message's restore token sees items and prices, no person.

export interface Restorable {
  items: RestoredItem[]
  valueMinor: number
  currency: string
  storeName: string
  brand: ShopBrand
  shopUrl: string
  isOrdered: boolean
  expiresAt: Date
  /** Of the message; null: none, or it is not good any more. */
  coupon: OfferedCoupon | null
}

/** What is to be had of it, as far as the copy of the catalogue knows. */
export async function readRestorable(deps: Deps, token: string): Promise<Restorable> {
  const { link, cart, store } = await openToken(deps, token)
  const items = await plannedItems(store, cart)
  return {
    items,
    coupon: await offeredCoupon(deps, store, { cart, messageId: link.message_id, items, rules: discountRulesOf(cart) }),
    valueMinor: cart.value_minor,
    currency: cart.currency,
    storeName: cart.store_name,
    brand: await shopBrandOf(store),
    shopUrl: cart.home_url,
    isOrdered: isOrdered(cart),
    expiresAt: link.expires_at,
  }
}

export interface Restored {
  items: RestoredItem[]
  currency: string
  /** null when nothing of it is left to buy. */
  checkoutUrl: string | null
  shopUrl: string
  isOrdered: boolean
  isTest: boolean
  /** The message's; null: it has none. */
  coupon: { code: string; outcome: CouponOutcome } | null
}

/** The parameter our capture script looks for. */
const WAY_BACK = 'recoup_cart'

/** The shopper pressed: a touch (A1), what the store put into their cart, and where that is. */
export async function restoreCart(deps: Deps, token: string): Promise<Restored> {
  const { link, cart, store } = await openToken(deps, token)
  const { message_id: messageId, is_test: isTest } = link
  return restore(deps, { store, cart, messageId: isTest ? null : messageId, subject: link.token_hash.toString('hex') })
}

/** A member of the store tries it out: nobody's touch, and counted nowhere. */
export async function tryRestore(deps: Deps, session: Session, cartId: string, wanted: WantedStore): Promise<Restored> {
  const { id: storeId } = await chooseStore(deps.db, session, wanted)
  const store = { storeId, db: deps.db as Db }
  const cart = await sql.restorableCart(store, cartId, null)
  if (!cart) throw new AppError('not_found', restoreTexts.notFound)
  return restore(deps, { store, cart, messageId: null, subject: `member ${cart.id}` })
}

const discountRulesOf = (cart: RestorableCart): DiscountRules => ({
  currency: cart.currency,
  decimals: cart.price_decimals,
  isSequential: cart.is_discount_sequential ?? false,
})

type RestorableCart = NonNullable<Awaited<ReturnType<typeof sql.restorableCart>>>

interface Pressed {
  store: StoreDb<Db>
  cart: RestorableCart
  /** null: a test. */
  messageId: string | null
  subject: string
}

async function restore(deps: Deps, pressed: Pressed): Promise<Restored> {
  const { store, cart, messageId } = pressed
  const told = { currency: cart.currency, shopUrl: cart.home_url, isTest: messageId === null }
  if (isOrdered(cart)) return { ...told, items: [], checkoutUrl: null, coupon: null, isOrdered: true }
  const back = await notePress(deps, pressed)
  const code = cart.coupon_code
  const toEnter = code === null ? null : { code, outcome: 'to_enter' as const }
  const mayAsk = await mayAskStore(deps, pressed)
  if (mayAsk) await refreshGoods(deps, store, cart.items)
  const planned = await plannedItems(store, cart)
  // The shop's own plugin fills the cart best, and says itself what could not be had (decision 107).
  if (isAlive(await readPlugin(store), deps.now())) {
    const checkoutUrl = pluginOf(cart.platform).link(cart.home_url, back)
    const coupon = code === null ? null : { code, outcome: 'carried' as const }
    return { ...told, items: planned, checkoutUrl, coupon, isOrdered: false }
  }
  const paymentUrl = cart.has_checkout_link || !mayAsk ? null : await paymentUrlOf(deps, store, cart, planned)
  if (paymentUrl) return { ...told, items: planned, checkoutUrl: paymentUrl, coupon: toEnter, isOrdered: false }
  // Without that order one product is all an older store takes.
  const items = cart.has_checkout_link ? planned : await plannedItems(store, cart, false)
  return { ...told, ...(await fill(deps, { store, cart, items, back, mayAsk })), isOrdered: false }
}

/** Each press makes the shop answer several requests, and whoever holds a link may press as often as they like. */
const ASKS_PER_LINK: Limit = { name: 'restore-link', points: 10, windowS: 600 }
const ASKS_PER_STORE: Limit = { name: 'restore-store', points: 120, windowS: 60 }

/** Above that the shop is not asked: the link leads there all the same, untried. */
async function mayAskStore(deps: Deps, { store, subject }: Pressed): Promise<boolean> {
  if ((await tryTake(deps, ASKS_PER_LINK, `${store.storeId}\0${subject}`)) > 0) return false
  return (await tryTake(deps, ASKS_PER_STORE, store.storeId)) === 0
}

/** Both buttons may be pressed, and a browser may ask again: within this time it is one press. */
const ONE_PRESS_MS = 10 * 60_000

/** Answers the token of the way back. */
async function notePress(deps: Deps, { store, cart, messageId, subject }: Pressed): Promise<string> {
  const at = deps.now()
  return transact(store, async (tx) => {
    if (messageId !== null) await lockShopperOf(tx, messageId)
    const isAgain = messageId !== null && (await sql.wasPressed(tx, messageId, new Date(at.getTime() - ONE_PRESS_MS)))
    if (messageId !== null && !isAgain) {
      const touch = { id: newId(), messageId, cartId: cart.id, kind: 'restore' as const, at }
      await recordTouchpoint(tx, { ...touch, isHuman: true, reason: 'pressed_restore' })
    }
    return openWayBack(deps, tx, { cartId: cart.id, messageId, isTest: messageId === null, subject })
  })
}

const isOrdered = ({ status }: RestorableCart): boolean => status === 'recovered' || status === 'purchased'

const unpaidOrders = ({ orders }: RestorableCart): string[] =>
  Object.keys(orders).filter((id) => ['pending', 'failed'].includes(orders[id]!))

async function plannedItems(store: StoreDb, cart: RestorableCart, hasUnpaidOrder = unpaidOrders(cart).length > 0) {
  const products = await sql.availabilityOf(store, [...new Set(cart.items.map((item) => item.productId))])
  return planItems(cart.items, products, { ...cart, hasUnpaidOrder })
}

/** The best way the store has (decision 14): the whole cart at once, tried by us first, or one product. */
async function fill(
  deps: Deps,
  wanted: {
    store: StoreDb
    cart: RestorableCart
    items: RestoredItem[]
    back: string
    mayAsk: boolean
  },
) {
  const { store, cart, items, back, mayAsk } = wanted
  const code = cart.coupon_code
  const told = (outcome: CouponOutcome) => (code === null ? null : { code, outcome })
  const taken = items.filter(isTaken)
  // The store judges a code itself; one that has ended costs the shopper nothing but the discount. A personal code is for individual use.
  const along = { coupon: cart.coupon_code ?? cart.coupons[0] ?? null, extra: { [WAY_BACK]: back } }
  const refilled =
    mayAsk && isRefillable(cart) && taken.length > 0 ? await refill(deps, store, { items: taken, ...along }) : null
  if (refilled && (refilled.checkoutUrl === null || isOnStoreOrigin(refilled.checkoutUrl, cart)))
    return {
      items: asRefilled(items, refilled),
      checkoutUrl: refilled.checkoutUrl,
      coupon: told(refilled.isCouponRefused ? 'refused' : 'carried'),
    }
  const link = platformOf(cart.platform).restoreLink(sourceOf(cart, deps.now()), taken, along)
  return { items, checkoutUrl: link?.url ?? null, coupon: told(cart.has_checkout_link ? 'carried' : 'to_enter') }
}

/** Where the shop brings its own checkout back, nobody fills the cart before. */
const isRefillable = ({ platform, has_checkout_link }: RestorableCart): boolean =>
  has_checkout_link && capabilities[platform].restore === 'link'

/** The checkout's address is a key to it: it is used on a host of the store alone. */
function sourceOf(cart: RestorableCart, now: Date): RestoreSource {
  const { home_url: homeUrl, has_checkout_link: hasCheckoutLink, checkout } = cart
  const url = checkout && isOnStoreOrigin(checkout.url, cart) ? checkout.url : null
  return { homeUrl, hasCheckoutLink, now, checkout: url === null ? null : { url, createdAt: checkout!.createdAt } }
}

async function refill(deps: Deps, store: StoreDb, wish: RefillWish): Promise<Refilled | null> {
  try {
    const client = await storeAccess(deps, store)
    return await client.refillCart(wish)
  } catch (error) {
    deps.log.warn({ storeId: store.storeId, err: error }, 'cart.not-refilled')
    return null
  }
}

async function paymentUrlOf(deps: Deps, store: StoreDb<Db>, cart: RestorableCart, items: readonly RestoredItem[]) {
  const newest = unpaidOrders(cart).sort((a, b) => Number(b) - Number(a))[0]
  // What has changed since would be charged as it was ordered.
  if (newest === undefined || items.some(({ outcome }) => outcome !== 'ok')) return null
  const order = await readUnpaidOrder(deps, store, newest)
  return order && isSameCart(items, order.items) && isOnStoreOrigin(order.paymentUrl, cart) ? order.paymentUrl : null
}

/** Whatever is not a link gets one answer, after the same one look-up: neither words nor time tell unknown from ended or malformed. */
async function openToken(deps: Deps, token: string) {
  const notFound = () => new AppError('not_found', restoreTexts.notFound)
  const isToken = /^rt_[\w-]{43}$/.test(token)
  const link = await system.linkToken(deps.db, tokenHash(isToken ? token.slice(3) : ''), 'restore', deps.now())
  if (!link) throw notFound()
  const store = { storeId: link.store_id, db: deps.db as Db }
  const cart = link.cart_id === null ? undefined : await sql.restorableCart(store, link.cart_id, link.message_id)
  if (!cart) throw notFound()
  return { link, cart, store }
}
