import { shownContents } from '../compose/goods-rules.ts'
import { type CouponFinding, couponFinding, type ShownGoods } from './coupon-finding.ts'
import { addressOf, type Context } from './decision-inputs.ts'
import type * as load from './evaluate-sql.ts'

// From rows to what becomes of a message's coupon. Pure but for the keyed hash of an address.

/** null: the message is to have none. */
export function couponFor(context: Context, row: load.ClaimedRow): CouponFinding | null {
  if (!row.coupon) return null
  const coupon = context.coupons.get(row.id)
  return couponFinding(row.coupon, coupon, {
    now: context.now,
    cart: goodsOf(context, row),
    cartVersion: row.cart_version,
    hasBoughtBefore: row.has_bought_before,
    email: emailOf(context, row),
    isImagined: context.isImagined,
  })
}

/** A coupon that is for some addresses alone is judged by the one it goes to; of a text by the one that is known. */
function emailOf({ deps }: Context, row: load.ClaimedRow) {
  const address = (row.channel === 'email' ? addressOf(row) : row.email)?.toLowerCase()
  return address ? { hash: deps.secrets.addressHash(address).toString('hex'), address } : null
}

function goodsOf({ goods }: Context, row: load.ClaimedRow): ShownGoods | null {
  const { currency } = row
  if (currency === null) return null
  const { items, valueMinor } = shownContents(row, goods)
  const left = items.filter((item) => !item.isGone)
  return {
    lines: left.map((item) => ({
      productId: item.productId,
      variationId: item.variationId,
      quantity: item.quantity,
      unitPriceMinor: item.unitPriceMinor,
      isOnSale: null,
    })),
    shown: left.map((item) => item.quantity * item.unitPriceMinor),
    shownMinor: valueMinor,
    currency,
    rules: { currency, decimals: null, isSequential: false },
    isUnknown: false,
  }
}

/** What the decision record keeps of it: the code, what became of it, and the store's words. */
export function recordOfCoupon(coupon: CouponFinding | null): Record<string, unknown> {
  if (!coupon) return {}
  const { outcome, code } = coupon
  if (outcome === 'included') return { coupon: code, couponIncluded: true }
  return {
    coupon: code,
    couponIncluded: false,
    couponReason: coupon.reason,
    ...(coupon.outcome === 'waiting' && coupon.refusal ? { couponRefusal: coupon.refusal } : {}),
  }
}
