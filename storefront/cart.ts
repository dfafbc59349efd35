// Reads the shop's own cart through WooCommerce's Store API or a Shopify theme, as this shopper sees it.

interface CartItem {
  /** Of the product, or of the variation if the shop returns only that. */
  id: string
  variation?: string
  quantity: number
  /** Options a variation leaves open, such as "any size": its id alone cannot put it into a cart again. */
  choices?: { name: string; value: string }[] | undefined
}

export interface ShopCart {
  items: CartItem[]
  coupons: string[]
}

/** Built twice: for Shopify's themes, and for WooCommerce. */
declare const IS_THEME: boolean
export const isTheme = IS_THEME

interface WooCart {
  id: number
  quantity: number
  variation?: { attribute?: unknown; value?: unknown }[]
}

/** undefined if the answer is not WooCommerce's. A variation's line has the variation's own id. */
export async function readCart(): Promise<ShopCart | undefined> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="https://api.w.org/"]')?.href
  const root = link && new URL(link).origin === location.origin ? link : '/wp-json/'
  const answer = await fetch(`${root}wc/store/v1/cart`, { credentials: 'same-origin', cache: 'no-store' })
  if (!answer.ok) return undefined
  const cart = (await answer.json()) as {
    items?: WooCart[]
    coupons?: { code: string }[]
  }
  if (!Array.isArray(cart.items)) return undefined
  return {
    items: cart.items.slice(0, 200).map((item) => ({
      id: String(item.id),
      quantity: Math.min(9_999, Math.max(1, Math.round(item.quantity))),
      choices: readChoices(item.variation),
    })),
    coupons: (cart.coupons || []).slice(0, 20).map((coupon) => String(coupon.code).slice(0, 60)),
  }
}

interface ThemeCart {
  token?: string
  items?: { product_id: number; variant_id: number; quantity: number }[]
}

/** `keep` receives the shop's own cart id, which checkout and order carry too, so all of them are one cart. */
export async function readThemeCart(keep: (token: string) => void): Promise<ShopCart | undefined> {
  const answer = await fetch('/cart.js', { credentials: 'same-origin', cache: 'no-store' })
  const { token, items } = (await answer.json()) as ThemeCart
  const name = /^[\w-]{16,64}/.exec(`${token}`)?.[0]
  if (name) keep(name)
  return (
    items && {
      // Post both, so a line is identified before the store's products were read.
      items: items.slice(0, 200).map((item) => ({
        id: `${item.product_id}`,
        variation: `${item.variant_id}`,
        quantity: item.quantity,
      })),
      coupons: [],
    }
  )
}

const readChoices = (variation: WooCart['variation']): CartItem['choices'] =>
  variation?.map(({ attribute, value }) => ({ name: truncate(attribute, 100), value: truncate(value, 200) }))

const truncate = (text: unknown, maxLength: number) => `${text}`.slice(0, maxLength)

const EVENTS =
  'wc-blocks_added_to_cart wc-blocks_removed_from_cart wc-cart-changed added_to_cart removed_from_cart updated_cart_totals wc_fragments_refreshed updated_wc_div applied_coupon removed_coupon applied_coupon_in_checkout removed_coupon_in_checkout'

interface Shop extends Window {
  jQuery?: (target: unknown) => { on?: (events: string, listener: () => void) => void }
  wp?: { data?: { subscribe?: (listener: () => void) => void; select?: (store: string) => unknown } }
}

/** Calls `onChange` on load and whenever the shop signals a change of its cart. */
export function watchCart(onChange: () => void): void {
  const shop = window as unknown as Shop
  const listen = () => {
    for (const name of EVENTS.split(' ')) document.body.addEventListener(name, onChange)
    // Events triggered through jQuery never become native ones.
    shop.jQuery?.(document.body).on?.(EVENTS, onChange)
    if (isTheme) watchRequests(onChange)
    else watchBlocks(shop, onChange)
    onChange()
  }
  if (document.readyState === 'complete') listen()
  else addEventListener('load', listen)
}

/** Themes have no event of their own, so watch their requests to the shop. */
function watchRequests(onChange: () => void): void {
  new PerformanceObserver((list) => {
    if (list.getEntries().some(({ name }) => /\/cart\/(add|change|update|clear)/.test(name))) onChange()
  }).observe({ type: 'resource' })
}

/** The cart block changes quantities without an event, so watch its data store. */
function watchBlocks(shop: Shop, onChange: () => void): void {
  const data = shop.wp?.data
  let last: unknown
  data?.subscribe?.(() => {
    try {
      const cart = data.select?.('wc/store/cart') as { getCartData?: () => { items?: unknown } } | undefined
      const items = cart?.getCartData?.().items
      if (items !== last) onChange()
      last = items
    } catch {
      // The data store is not registered on this page.
    }
  })
}
