// The shop's own cart, as WooCommerce's Store API or a Shopify theme tells it to this very shopper.

interface SeenItem {
  /** Of the product, or of the variation where the shop tells no more. */
  id: string
  variation?: string
  quantity: number
  /** A variation may leave a choice open, such as every size: then its id is not enough to put it into a cart again. */
  choices?: { name: string; value: string }[] | undefined
}

export interface SeenCart {
  items: SeenItem[]
  coupons: string[]
}

/** The script is built twice: for Shopify's themes, and for WooCommerce. */
declare const IS_THEME: boolean
export const isTheme = IS_THEME

interface Seen {
  id: number
  quantity: number
  variation?: { attribute?: unknown; value?: unknown }[]
}

/** undefined when the shop does not answer as WooCommerce does. A variation's line carries the variation's own id. */
export async function readCart(): Promise<SeenCart | undefined> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="https://api.w.org/"]')?.href
  const root = link && new URL(link).origin === location.origin ? link : '/wp-json/'
  const answer = await fetch(`${root}wc/store/v1/cart`, { credentials: 'same-origin', cache: 'no-store' })
  if (!answer.ok) return undefined
  const cart = (await answer.json()) as {
    items?: Seen[]
    coupons?: { code: string }[]
  }
  if (!Array.isArray(cart.items)) return undefined
  return {
    items: cart.items.slice(0, 200).map((item) => ({
      id: String(item.id),
      quantity: Math.min(9_999, Math.max(1, Math.round(item.quantity))),
      choices: choicesOf(item.variation),
    })),
    coupons: (cart.coupons || []).slice(0, 20).map((coupon) => String(coupon.code).slice(0, 60)),
  }
}

interface ThemeCart {
  token?: string
  items?: { product_id: number; variant_id: number; quantity: number }[]
}

/** `keep` is told the shop's own name of its cart: its checkout and its order carry it too, so that there is one cart. */
export async function readThemeCart(keep: (token: string) => void): Promise<SeenCart | undefined> {
  const answer = await fetch('/cart.js', { credentials: 'same-origin', cache: 'no-store' })
  const { token, items } = (await answer.json()) as ThemeCart
  const name = /^[\w-]{16,64}/.exec(`${token}`)?.[0]
  if (name) keep(name)
  return (
    items && {
      // Both are told, so that a line is known before the store's products have been read.
      items: items.slice(0, 200).map((item) => ({
        id: `${item.product_id}`,
        variation: `${item.variant_id}`,
        quantity: item.quantity,
      })),
      coupons: [],
    }
  )
}

const choicesOf = (variation: Seen['variation']): SeenItem['choices'] =>
  variation?.map(({ attribute, value }) => ({ name: said(attribute, 100), value: said(value, 200) }))

const said = (text: unknown, most: number) => `${text}`.slice(0, most)

const EVENTS =
  'wc-blocks_added_to_cart wc-blocks_removed_from_cart wc-cart-changed added_to_cart removed_from_cart updated_cart_totals wc_fragments_refreshed updated_wc_div applied_coupon removed_coupon applied_coupon_in_checkout removed_coupon_in_checkout'

interface Shop extends Window {
  jQuery?: (target: unknown) => { on?: (events: string, listener: () => void) => void }
  wp?: { data?: { subscribe?: (listener: () => void) => void; select?: (store: string) => unknown } }
}

/** Calls `look` when the page is there and whenever the shop says that its cart has changed. */
export function startFor(look: () => void): void {
  const shop = window as unknown as Shop
  const listen = () => {
    for (const name of EVENTS.split(' ')) document.body.addEventListener(name, look)
    // Events triggered through jQuery never become native ones.
    shop.jQuery?.(document.body).on?.(EVENTS, look)
    if (isTheme) watchRequests(look)
    else watchBlocks(shop, look)
    look()
  }
  if (document.readyState === 'complete') listen()
  else addEventListener('load', listen)
}

/** A theme has no event of its own; what it asks of the shop shows that the cart changes. */
function watchRequests(look: () => void): void {
  new PerformanceObserver((list) => {
    if (list.getEntries().some(({ name }) => /\/cart\/(add|change|update|clear)/.test(name))) look()
  }).observe({ type: 'resource' })
}

/** The cart block changes quantities without an event; its data store is asked instead. */
function watchBlocks(shop: Shop, look: () => void): void {
  const data = shop.wp?.data
  let last: unknown
  data?.subscribe?.(() => {
    try {
      const cart = data.select?.('wc/store/cart') as { getCartData?: () => { items?: unknown } } | undefined
      const items = cart?.getCartData?.().items
      if (items !== last) look()
      last = items
    } catch {
      // A store that is not registered on this page.
    }
  })
}
