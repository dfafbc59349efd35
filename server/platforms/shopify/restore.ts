import type { RestoreItem, RestoreLink, RestoreOptions, RestoreSource } from '../platform/kind.ts'
import { parseId } from '../platform/text.ts'

/** The shop's own checkout link leads to its front page before this age. */
const MIN_AGE_MS = 10 * 60_000
const MAX_QUANTITY = 9_999
const MAX_LINES = 100

/**
 * The link that restores a cart; null when no item is usable. The shop's own checkout link, with everything the shopper
 * entered, else a cart permalink, which needs no checkout. Both accept a code.
 */
export function restoreLink(
  { homeUrl, checkout, now }: RestoreSource,
  items: readonly RestoreItem[],
  along: RestoreOptions = {},
): RestoreLink | null {
  const usable = items.filter((item) => idOf(item) && boundedQuantity(item.quantity) > 0).slice(0, MAX_LINES)
  const isRipe = checkout && (!now || now.getTime() - Date.parse(checkout.createdAt) >= MIN_AGE_MS)
  if (isRipe && URL.canParse(checkout.url)) return { url: withParameters(checkout.url, along), items: [...items] }
  const lines = [...sumQuantities(usable)].map(([id, quantity]) => `${id}:${quantity}`)
  if (lines.length === 0) return null
  const home = homeUrl.replace(/(?<!\/)\/+$/, '')
  return { url: withParameters(`${home}/cart/${lines.join(',')}`, along), items: usable }
}

function withParameters(address: string, { coupon, extra = {} }: RestoreOptions): string {
  const url = new URL(address)
  if (coupon) url.searchParams.set('discount', coupon.toWellFormed())
  for (const [name, value] of Object.entries(extra)) url.searchParams.set(name, value.toWellFormed())
  return url.href
}

function sumQuantities(items: readonly RestoreItem[]): Map<string, number> {
  const quantities = new Map<string, number>()
  for (const item of items) {
    const id = idOf(item)!
    const quantity = boundedQuantity(item.quantity)
    quantities.set(id, Math.min((quantities.get(id) ?? 0) + quantity, MAX_QUANTITY))
  }
  return quantities
}

/** A permalink accepts variants only. */
const idOf = ({ variationId }: RestoreItem): string | null => parseId(variationId)

const boundedQuantity = (quantity: number): number =>
  Number.isFinite(quantity) ? Math.min(Math.max(Math.trunc(quantity), 0), MAX_QUANTITY) : 0
