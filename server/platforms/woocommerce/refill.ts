import { z } from 'zod'
import { FetchProblem } from '../../core/net/fetch-problem.ts'
import type { GuardedAnswer } from '../../core/net/guarded-fetch.ts'
import type { StoreAccess, StoreNet } from '../platform/access.ts'
import type { RestoreItem } from '../platform/kind.ts'
import type { RefillRequest, RefillResult } from '../platform/platform.ts'
import { parseId } from '../platform/text.ts'
import { checkoutLink } from './restore.ts'

// Fills a guest's cart in the store before the shopper is sent there (WooCommerce 10 or newer). Opens `/checkout-link/`
// as the shopper's browser will; the Store API then lists the actual cart. That link cannot add a variation with an
// open choice, but the Store API can: the link to that cart has its token (`?session=`), which copies it into the
// shopper's browser and lives for 48 hours. Nothing here is signed: a guest's cart needs no keys.

/** A shopper is waiting. */
const PATIENCE_MS = 6_000
/** Each line with open choices needs its own request. */
const MAX_LINES = 20

interface Store {
  access: Pick<StoreAccess, 'storeUrl' | 'homeUrl'>
  net: StoreNet
  signal: AbortSignal
}

/** null when the store does not report the result in time. */
export async function refillCart(
  access: Store['access'],
  net: StoreNet,
  wish: RefillRequest,
): Promise<RefillResult | null> {
  const store = { access, net, signal: AbortSignal.timeout(PATIENCE_MS) }
  try {
    return await tryLink(store, wish)
  } catch (error) {
    if (error instanceof FetchProblem || error instanceof z.ZodError || error instanceof SyntaxError) return null
    throw error
  }
}

async function tryLink(store: Store, wish: RefillRequest): Promise<RefillResult | null> {
  const { access } = store
  const link = checkoutLink(access.storeUrl, wish.items, wish)
  if (!link) return null
  const answer = await ask(store, link)
  const target = URL.parse(answer.headers.location ?? '', link)
  const isOfStore = [access.storeUrl, access.homeUrl].some((url) => URL.parse(url)?.origin === target?.origin)
  if (answer.status !== 302 || !target || !isOfStore) return null
  const session = target.searchParams.get('session')
  if (!session && !target.searchParams.has('wc_error')) return null
  const { lines: cart, coupons } = session ? await readCart(store, session) : { lines: [], coupons: [] }
  const isLacking = wish.items.some((item) => item.choices && quantityOf(cart, item) < requestedQuantity(wish, item))
  if (isLacking && wish.items.length <= MAX_LINES) {
    const filled = await fillByLine(store, wish, session ? target : null)
    if (sum(filled.lines) > sum(cart)) return filled
  }
  const reported = cart.length > 0 ? findCouponResult(wish, coupons) : {}
  const along = reported.isCouponRefused ? { ...wish, coupon: null } : wish
  const checkoutUrl = cart.length > 0 ? checkoutLink(access.homeUrl, wish.items, along) : null
  return { checkoutUrl, lines: cart, ...reported }
}

/** `checkout`: the target of the store's own link; null when it accepted no item. */
async function fillByLine(store: Store, wish: RefillRequest, checkout: URL | null): Promise<RefillResult> {
  const { items, coupon, extra } = wish
  const token = z.string().parse((await ask(store, cartUrl(store))).headers['cart-token'])
  for (const { productId, variationId, quantity, choices = [] } of items) {
    const variation = choices.map(({ name, value }) => ({ attribute: name, value }))
    const line = { id: Number(variationId ?? productId), quantity, ...(variationId ? { variation } : {}) }
    await ask(store, `${cartUrl(store)}/add-item`, token, line)
  }
  if (coupon) await ask(store, `${cartUrl(store)}/apply-coupon`, token, { code: coupon })
  const { lines, coupons } = await readCart(store, token)
  // Any page opens the session. Only the link knows the address of the checkout.
  const target = new URL(checkout ?? `${store.access.homeUrl.replace(/(?<!\/)\/+$/, '')}/`)
  for (const [name, value] of Object.entries({ ...extra, session: token })) target.searchParams.set(name, value)
  return {
    checkoutUrl: lines.length > 0 ? target.href : null,
    lines,
    ...(lines.length > 0 ? findCouponResult(wish, coupons) : {}),
  }
}

/** Omitted without a requested coupon. Codes are compared case-insensitively. */
function findCouponResult({ coupon }: RefillRequest, inCart: readonly string[]): { isCouponRefused?: boolean } {
  if (coupon === null) return {}
  return { isCouponRefused: !inCart.some((code) => code.toLowerCase() === coupon.toLowerCase()) }
}

const Cart = z.object({
  items: z.array(z.object({ id: z.union([z.number(), z.string()]), quantity: z.number().positive() })).max(1_000),
  coupons: z
    .array(z.object({ code: z.string().max(200) }))
    .max(100)
    .catch([]),
})

async function readCart(store: Store, token: string): Promise<{ lines: RefillResult['lines']; coupons: string[] }> {
  const answer = await ask(store, cartUrl(store), token)
  const { items, coupons } = Cart.parse(JSON.parse(answer.body.toString('utf8')))
  const lines = items.flatMap(({ id, quantity }) => {
    const known = parseId(id)
    return known ? [{ id: known, quantity: Math.trunc(quantity) }] : []
  })
  return { lines, coupons: coupons.map(({ code }) => code) }
}

const cartUrl = ({ access }: Store): string => `${access.storeUrl}/wp-json/wc/store/v1/cart`

async function ask({ net, signal }: Store, url: string, token?: string, body?: object): Promise<GuardedAnswer> {
  const request = {
    method: body ? 'POST' : 'GET',
    headers: { ...(token ? { 'cart-token': token } : {}), ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    isRedirectReturned: true,
    signal,
  } as const
  return net.fetch(url, request)
}

const idOf = ({ productId, variationId }: RestoreItem): string => variationId ?? productId

const sum = (lines: readonly { quantity: number }[]): number =>
  lines.reduce((total, { quantity }) => total + quantity, 0)

const quantityOf = (lines: RefillResult['lines'], item: RestoreItem): number =>
  sum(lines.filter((line) => line.id === idOf(item)))

const requestedQuantity = ({ items }: RefillRequest, item: RestoreItem): number =>
  sum(items.filter((each) => idOf(each) === idOf(item)))
