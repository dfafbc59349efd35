import {
  parseId,
  type RestoreItem,
  type RestoreLink,
  type RestoreOptions,
  type RestoreSource,
} from '../platform/public.ts'

/**
 * The link that restores a cart without a plugin; null when no item is usable. WooCommerce ≥ 10 restores the whole cart
 * and applies the coupon (`/checkout-link/`). Older stores accept one product per link and no coupon: the first simple
 * product, because a variation there needs its attributes too.
 */
export function restoreLink(
  profile: Pick<RestoreSource, 'homeUrl' | 'hasCheckoutLink'>,
  items: readonly RestoreItem[],
  along: RestoreOptions = {},
): RestoreLink | null {
  const usable = items.filter((item) => getItemId(item) && boundedQuantity(item.quantity) > 0)
  const home = removeSlash(profile.homeUrl)
  if (profile.hasCheckoutLink) {
    const url = checkoutLink(home, usable, along)
    return url === null ? null : { url, items: usable }
  }
  const first = usable.find((item) => item.variationId === null) ?? usable[0]
  if (!first) return null
  const same = usable.filter((item) => getItemId(item) === getItemId(first))
  const quantity = countQuantities(same).get(getItemId(first)!)
  return { url: `${home}/?add-to-cart=${getItemId(first)}&quantity=${quantity}${parameters(along.extra)}`, items: same }
}

/** WooCommerce ≥ 10: one entry per id, the variation's id for variations. */
export function checkoutLink(
  baseUrl: string,
  items: readonly RestoreItem[],
  { coupon, extra }: RestoreOptions,
): string | null {
  const products = [...countQuantities(items)].map(([id, quantity]) => `${id}:${quantity}`).join(',')
  if (products === '') return null
  return `${removeSlash(baseUrl)}/checkout-link/?products=${products}${parameters({ ...(coupon ? { coupon } : {}), ...extra })}`
}

const MAX_QUANTITY = 9_999

function countQuantities(items: readonly RestoreItem[]): Map<string, number> {
  const quantities = new Map<string, number>()
  for (const item of items) {
    const id = getItemId(item)
    const quantity = boundedQuantity(item.quantity)
    if (id && quantity > 0) quantities.set(id, Math.min((quantities.get(id) ?? 0) + quantity, MAX_QUANTITY))
  }
  return quantities
}

const getItemId = ({ productId, variationId }: RestoreItem): string | null => parseId(variationId ?? productId)

const removeSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

const parameters = (values: Readonly<Record<string, string>> = {}): string =>
  Object.entries(values)
    .map(([name, value]) => `&${name}=${encodeURIComponent(value.toWellFormed())}`)
    .join('')

function boundedQuantity(quantity: number): number {
  return Number.isFinite(quantity) ? Math.min(Math.max(Math.trunc(quantity), 0), MAX_QUANTITY) : 0
}
