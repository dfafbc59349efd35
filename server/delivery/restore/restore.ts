import type { ShopBrand } from '../../../shared/carts/shop-brand.ts'
import { type CouponOutcome, restoreTexts } from '../../../shared/delivery/restore.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import type { Session } from '../../access/members/public.ts'
import { isAlive, readPlugin } from '../../access/plugin/public.ts'
import { chooseStore, isOnStoreOrigin, openStoreClient, type RequestedStore } from '../../access/stores/public.ts'
import { loadShopBrand } from '../../carts/brand/public.ts'
import { createBackLink } from '../../carts/capture/public.ts'
import { recordTouchpoint } from '../../carts/carts/public.ts'
import {
  type CouponState,
  computeDiscounts,
  currentCode,
  type DiscountRules,
  findCouponProblem,
  loadEnteredCoupons,
  loadSentCoupon,
  removeRestrictions,
} from '../../carts/coupons/public.ts'
import { readUnpaidOrder, refreshGoods } from '../../carts/sync/public.ts'
import { AppError, createId, hashToken } from '../../core/common/public.ts'
import * as system from '../../core/db/public.ts'
import { type Db, type Limit, type StoreDb, type StoreTx, sql, transact, tryTakePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { lockMessageShopper } from '../../messages/messages/public.ts'
import type { RefillRequest, RefillResult, RestoreSource } from '../../platforms/platform/public.ts'
import { findPlatform, findPluginProtocol } from '../../platforms/registry/public.ts'
import { choosePageLocale } from '../preferences/public.ts'
import { applyRefill, isRestorable, isSameCart, planItems, type RestoredItem } from './restore-rules.ts'
import type { Availability } from './restore-sql.ts'
import { readRestorableCart } from './restore-sql.ts'

// Restores a cart from a message's link (decisions 4 and 14). A restore token shows items and prices, but no personal
// data.

export interface Restorable {
  items: RestoredItem[]
  valueMinor: number
  currency: string
  locale: string
  storeName: string
  brand: ShopBrand
  shopUrl: string
  isOrdered: boolean
  expiresAt: Date
  /** null: none, or no longer valid. */
  coupon: OfferedCoupon | null
}

/** Shows what can be restored, by our copy of the catalogue. `accepted`: Accept-Language. Throws `not_found`. */
export async function readRestorable(
  deps: Pick<Deps, 'db' | 'now'>,
  token: string,
  accepted: string | undefined,
): Promise<Restorable> {
  const { link, cart, store } = await openToken(deps, token)
  const items = await plannedItems(store, cart, (await hasPlugin(deps, store)) || hasUnpaidOrder(cart))
  return {
    items,
    coupon: await findOfferedCoupon(deps, store, {
      cart,
      messageId: link.message_id,
      items,
      rules: getDiscountRules(cart),
    }),
    valueMinor: cart.value_minor,
    currency: cart.currency,
    locale: choosePageLocale({ ...cart, store: cart.store_locale }, accepted),
    storeName: cart.store_name,
    brand: await loadShopBrand(store),
    shopUrl: cart.home_url,
    isOrdered: isOrdered(cart),
    expiresAt: link.expires_at,
  }
}

export interface RestoreResult {
  items: RestoredItem[]
  currency: string
  /** null: no item is available any more. */
  checkoutUrl: string | null
  shopUrl: string
  isOrdered: boolean
  isTest: boolean
  /** The message's coupon; null: it has none. */
  coupon: { code: string; outcome: CouponOutcome } | null
}

/** The URL parameter that our capture script reads. */
const BACK_PARAMETER = 'recoup_cart'

/** Handles a press on Restore: records a touch (A1), lets the store fill the cart and returns where to continue. */
export async function restoreCart(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'pool' | 'secrets' | 'storeClient'>,
  token: string,
): Promise<RestoreResult> {
  const { link, cart, store } = await openToken(deps, token)
  const { message_id: messageId, is_test: isTest } = link
  return restore(deps, { store, cart, messageId: isTest ? null : messageId, subject: link.token_hash.toString('hex') })
}

/** Lets a member try the restore page. It records no touch and counts nowhere. */
export async function testRestore(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'pool' | 'secrets' | 'storeClient'>,
  session: Session,
  cartId: string,
  requested: RequestedStore,
): Promise<RestoreResult> {
  const { id: storeId } = await chooseStore(deps.db, session, requested)
  const store = { storeId, db: deps.db as Db }
  const cart = await readRestorableCart(store, cartId, null)
  if (!cart) throw new AppError('not_found', restoreTexts.notFound)
  return restore(deps, { store, cart, messageId: null, subject: `member ${cart.id}` })
}

const getDiscountRules = (cart: RestorableCart): DiscountRules => ({
  currency: cart.currency,
  decimals: cart.price_decimals,
  isSequential: cart.is_discount_sequential ?? false,
})

type RestorableCart = NonNullable<Awaited<ReturnType<typeof readRestorableCart>>>

interface RestoreRequest {
  store: StoreDb<Db>
  cart: RestorableCart
  /** null: a test. */
  messageId: string | null
  subject: string
}

async function restore(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'pool' | 'secrets' | 'storeClient'>,
  request: RestoreRequest,
): Promise<RestoreResult> {
  const { store, cart, messageId } = request
  const base = { currency: cart.currency, shopUrl: cart.home_url, isTest: messageId === null }
  if (isOrdered(cart)) return { ...base, items: [], checkoutUrl: null, coupon: null, isOrdered: true }
  const back = await recordPress(deps, request)
  const code = cart.coupon_code
  const toEnter = code === null ? null : { code, outcome: 'to_enter' as const }
  const mayAsk = await mayAskStore(deps, request)
  if (mayAsk) await refreshGoods(deps, store, cart.items)
  const isByPlugin = await hasPlugin(deps, store)
  const planned = await plannedItems(store, cart, isByPlugin || hasUnpaidOrder(cart))
  // A connected plugin fills the cart itself and tells the shopper what was not available (decision 107).
  if (isByPlugin) {
    const checkoutUrl = findPluginProtocol(cart.platform).link(cart.home_url, back)
    const coupon = code === null ? null : { code, outcome: 'carried' as const }
    return { ...base, items: planned, checkoutUrl, coupon, isOrdered: false }
  }
  const paymentUrl = cart.has_checkout_link || !mayAsk ? null : await findPaymentUrl(deps, store, cart, planned)
  if (paymentUrl) return { ...base, items: planned, checkoutUrl: paymentUrl, coupon: toEnter, isOrdered: false }
  // Without an unpaid order an older store takes only one product.
  const items = cart.has_checkout_link ? planned : await plannedItems(store, cart, false)
  return { ...base, ...(await fill(deps, { store, cart, items, back, mayAsk })), isOrdered: false }
}

/** Each press causes several requests to the shop, and a link can be pressed any number of times. */
const ASKS_PER_LINK: Limit = { name: 'restore-link', points: 10, windowS: 600 }
const ASKS_PER_STORE: Limit = { name: 'restore-store', points: 120, windowS: 60 }

/** Returns false above the limits. Then the shop is not asked, and the link is returned untested. */
async function mayAskStore(deps: Pick<Deps, 'pool' | 'secrets'>, { store, subject }: RestoreRequest): Promise<boolean> {
  if ((await tryTakePoint(deps, ASKS_PER_LINK, `${store.storeId}\0${subject}`)) > 0) return false
  return (await tryTakePoint(deps, ASKS_PER_STORE, store.storeId)) === 0
}

/** Presses within this time count once: there are two buttons, and a browser may repeat the request. */
const ONE_PRESS_MS = 10 * 60_000

/** Records the press and returns a back-link token. */
async function recordPress(
  deps: Pick<Deps, 'now' | 'secrets'>,
  { store, cart, messageId, subject }: RestoreRequest,
): Promise<string> {
  const at = deps.now()
  return transact(store, async (tx) => {
    if (messageId !== null) await lockMessageShopper(tx, messageId)
    const isAgain = messageId !== null && (await wasPressed(tx, messageId, new Date(at.getTime() - ONE_PRESS_MS)))
    if (messageId !== null && !isAgain) {
      const touch = { id: createId(), messageId, cartId: cart.id, kind: 'restore' as const, at }
      await recordTouchpoint(tx, { ...touch, isHuman: true, reason: 'pressed_restore' })
    }
    return createBackLink(deps, tx, { cartId: cart.id, messageId, isTest: messageId === null, subject })
  })
}

const isOrdered = ({ status }: RestorableCart): boolean => status === 'recovered' || status === 'purchased'

const listUnpaidOrders = ({ orders }: RestorableCart): string[] =>
  Object.keys(orders).filter((id) => ['pending', 'failed'].includes(orders[id]!))

const hasUnpaidOrder = (cart: RestorableCart): boolean => listUnpaidOrders(cart).length > 0

const hasPlugin = async ({ now }: Pick<Deps, 'now'>, store: StoreDb): Promise<boolean> =>
  isAlive(await readPlugin(store), now())

/** `isWhole`: all lines are restored together, by the plugin or an unpaid order. */
async function plannedItems(store: StoreDb, cart: RestorableCart, isWhole: boolean) {
  const products = await loadAvailability(store, [...new Set(cart.items.map((item) => item.productId))])
  return planItems(cart.items, products, { ...cart, isWhole })
}

/**
 * Restores by the best means the store has (decision 14): the whole cart by a link that we test first, or one product.
 */
async function fill(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets' | 'storeClient'>,
  requested: {
    store: StoreDb
    cart: RestorableCart
    items: RestoredItem[]
    back: string
    mayAsk: boolean
  },
) {
  const { store, cart, items, back, mayAsk } = requested
  const code = cart.coupon_code
  const couponAs = (outcome: CouponOutcome) => (code === null ? null : { code, outcome })
  const restorable = items.filter(isRestorable)
  // The store validates the code; with an expired one the shopper only loses the discount.
  const along = { coupon: cart.coupon_code ?? cart.coupons[0] ?? null, extra: { [BACK_PARAMETER]: back } }
  const refilled =
    mayAsk && isRefillable(cart) && restorable.length > 0
      ? await refill(deps, store, { items: restorable, ...along })
      : null
  if (refilled && (refilled.checkoutUrl === null || isOnStoreOrigin(refilled.checkoutUrl, cart)))
    return {
      items: applyRefill(items, refilled),
      checkoutUrl: refilled.checkoutUrl,
      coupon: couponAs(refilled.isCouponRefused ? 'refused' : 'carried'),
    }
  const link = findPlatform(cart.platform).restoreLink(buildSource(cart, deps.now()), restorable, along)
  return { items, checkoutUrl: link?.url ?? null, coupon: couponAs(cart.has_checkout_link ? 'carried' : 'to_enter') }
}

/** Whether we can test the link first. A platform that restores its own checkout needs no test. */
const isRefillable = ({ platform, has_checkout_link }: RestorableCart): boolean =>
  has_checkout_link && capabilities[platform].restore === 'link'

/** A checkout URL grants access to the checkout, so it is used only on the store's own host. */
function buildSource(cart: RestorableCart, now: Date): RestoreSource {
  const { home_url: homeUrl, has_checkout_link: hasCheckoutLink, checkout } = cart
  const url = checkout && isOnStoreOrigin(checkout.url, cart) ? checkout.url : null
  return { homeUrl, hasCheckoutLink, now, checkout: url === null ? null : { url, createdAt: checkout!.createdAt } }
}

async function refill(
  deps: Pick<Deps, 'db' | 'log' | 'secrets' | 'storeClient'>,
  store: StoreDb,
  wish: RefillRequest,
): Promise<RefillResult | null> {
  try {
    const client = await openStoreClient(deps, store)
    return await client.refillCart(wish)
  } catch (error) {
    deps.log.warn({ storeId: store.storeId, err: error }, 'cart.not-refilled')
    return null
  }
}

async function findPaymentUrl(
  deps: Pick<Deps, 'db' | 'log' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
  cart: RestorableCart,
  items: readonly RestoredItem[],
) {
  const newest = listUnpaidOrders(cart).sort((a, b) => Number(b) - Number(a))[0]
  // The order would charge the old quantities and prices.
  if (newest === undefined || items.some(({ outcome }) => outcome !== 'ok')) return null
  const order = await readUnpaidOrder(deps, store, newest)
  return order && isSameCart(items, order.items) && isOnStoreOrigin(order.paymentUrl, cart) ? order.paymentUrl : null
}

/**
 * Throws the same `not_found` after one look-up for every invalid token, so that unknown, expired and malformed ones
 * look alike.
 */
async function openToken(deps: Pick<Deps, 'db' | 'now'>, token: string) {
  const notFound = () => new AppError('not_found', restoreTexts.notFound)
  const isToken = /^rt_[\w-]{43}$/.test(token)
  const link = await system.findLinkToken(deps.db, hashToken(isToken ? token.slice(3) : ''), 'restore', deps.now())
  if (!link) throw notFound()
  const store = { storeId: link.store_id, db: deps.db as Db }
  const cart = link.cart_id === null ? undefined : await readRestorableCart(store, link.cart_id, link.message_id)
  if (!cart) throw notFound()
  return { link, cart, store }
}

// The coupon that is restored with a cart: the message's, else the one the shopper had entered (decisions 14 and 37).

interface OfferedCoupon {
  code: string
  /** Saving on the restorable items; null: unknown. */
  savingMinor: number | null
}

/** null: there is none, or it is invalid in our copy. The store decides when it is used. */
async function findOfferedCoupon(
  { now }: Pick<Deps, 'now'>,
  store: StoreDb,
  about: { cart: CouponCart; messageId: string | null; items: readonly RestoredItem[]; rules: DiscountRules },
): Promise<OfferedCoupon | null> {
  const { items, rules } = about
  const found = await findCoupon(store, { ...about, at: now() })
  if (!found) return null
  const { code, state } = found
  const { currency } = rules
  const lines = items.filter(isRestorable)
  const displayedMinor = lines.reduce((sum, { quantity, unitPriceMinor }) => sum + quantity * unitPriceMinor, 0)
  // Restrictions to addresses were checked when the message was sent.
  const use = {
    now: now(),
    goodForMs: 0,
    email: null,
    usedBefore: 0,
    cart: { lines, displayedMinor, currency, rules },
  }
  if (findCouponProblem(removeRestrictions(state), use)) return null
  return { code, savingMinor: computeDiscounts(lines, [state], rules)[0] ?? null }
}

/** The parts of a cart that its coupon depends on. */
interface CouponCart {
  id: string
  shopper_id: string
  coupons: string[]
  coupon_code: string | null
}

async function findCoupon(
  store: StoreDb,
  { cart, messageId, at }: { cart: CouponCart; messageId: string | null; at: Date },
): Promise<{ code: string; state: CouponState } | null> {
  if (cart.coupon_code === null) {
    const { id, shopper_id, coupons } = cart
    return (await loadEnteredCoupons(store, [{ id, shopper_id, entered_codes: coupons }])).get(id) ?? null
  }
  const message = messageId === null ? null : await couponOfMessage(store, messageId)
  if (!message?.coupon_id) return null
  const state = await loadSentCoupon(store, { ...message, coupon_id: message.coupon_id, at })
  return state && { code: message.coupon_code, state }
}

/** The coupon in a sent message; null: none. */
async function couponOfMessage({ db, storeId }: StoreDb, messageId: string) {
  const { rows } = await sql<{ id: string; shopper_id: string; coupon_id: string | null; coupon_code: string }>`
    select m.id, m.shopper_id, m.coupon_id, ${currentCode} as coupon_code from messages m
    where m.store_id = ${storeId} and m.id = ${messageId} and m.coupon_code is not null`.execute(db)
  return rows[0] ?? null
}

async function loadAvailability({ db, storeId }: StoreDb, productIds: readonly string[]): Promise<Availability[]> {
  if (productIds.length === 0) return []
  return db
    .selectFrom('products')
    .select([
      'product_id',
      'variation_id',
      'price_minor',
      'was_price_minor',
      'is_available',
      'is_on_sale',
      'has_open_choice',
      'stock_quantity',
      'permalink',
    ])
    .where('store_id', '=', storeId)
    .where('product_id', 'in', [...productIds])
    .execute()
}

/** Whether Restore was pressed for this message since then. The caller has locked the message's shopper. */
async function wasPressed({ db, storeId }: StoreTx, messageId: string, since: Date): Promise<boolean> {
  const rows = await sql<{ is_pressed: boolean }>`
    select exists (select 1 from messages m join touchpoints t on t.store_id = m.store_id and t.cart_id = m.cart_id
      where m.store_id = ${storeId} and m.id = ${messageId} and t.message_id = m.id and t.kind = 'restore' and t.at > ${since})
      as is_pressed`.execute(db)
  return rows.rows[0]!.is_pressed
}
