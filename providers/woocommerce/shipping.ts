// Shipping rates of a cart. Free shipping requires a minimum amount or a coupon.
import type { Session } from './sessions.ts'
import type { Shop } from './shop.ts'

export type Rate = { id: string; method: string; instance: number; name: string; costMinor: number; isChosen: boolean }

export const flatRate = { id: 'flat_rate:1', method: 'flat_rate', instance: 1, name: 'Flat rate' }
export const freeShipping = {
  id: 'free_shipping:2',
  method: 'free_shipping',
  instance: 2,
  name: 'Free shipping',
  costMinor: 0,
}

/**
 * A free shipping coupon also selects it until the shopper selects another rate (coupon-totals.json, "requires a
 * coupon").
 */
export function listRates(shop: Shop, session: Session, goods: { goodsMinor: number; opensFree: boolean }): Rate[] {
  const { shipsTo, flatRateMinor } = shop.pricing
  if (shipsTo && !shipsTo.includes(session.shipping.country)) return []
  const rates: Rate[] = [{ ...flatRate, costMinor: flatRateMinor, isChosen: false }]
  if (hasFreeShipping(shop, goods)) rates.push({ ...freeShipping, isChosen: false })
  const byShopper = rates.find((rate) => rate.id === session.rateId)
  const byCoupon = goods.opensFree ? rates.find((rate) => rate.id === freeShipping.id) : undefined
  const chosen = byShopper ?? byCoupon ?? rates[0]!
  chosen.isChosen = true
  return rates
}

export function hasFreeShipping(
  { pricing }: Shop,
  { goodsMinor, opensFree }: { goodsMinor: number; opensFree: boolean },
): boolean {
  if (!pricing.freeShipping) return false
  const { fromMinor } = pricing.freeShipping
  return opensFree || (fromMinor !== null && goodsMinor >= fromMinor)
}
