import { findCouponProblem, findEnd, MIN_VALID_MS } from '../../carts/coupons/validity.ts'
import type { ShownCoupon } from '../compose/coupon-text.ts'
import { totalAfter } from './coupon-finding.ts'
import type { DecisionContext } from './decision-inputs.ts'
import type * as load from './evaluate-sql.ts'
import { emailOf, goodsOf } from './message-coupon.ts'

// The coupon a shopper entered into the cart. It affects no decision and no text, only the total, which is that of the
// cart as the shopper left it. Pure except for the keyed hash of an address.

/** null: there is none, it is no longer valid, or its discount is unknown. */
export function enteredCoupon(context: DecisionContext, row: load.ClaimedRow): ShownCoupon | null {
  const coupon = context.entered.get(row.id)
  const cart = goodsOf(context, row)
  if (!coupon || !cart) return null
  const { state, usedBefore, code } = coupon
  const { now } = context
  if (findCouponProblem(state, { now, goodForMs: MIN_VALID_MS, email: emailOf(context, row), usedBefore, cart }))
    return null
  const totalMinor = totalAfter(cart, state)
  if (totalMinor === null || totalMinor === cart.shownMinor) return null
  return {
    ...{ code, totalMinor, minSpendMinor: state.minSpendMinor, expiresAt: findEnd(state), isFreeShipping: false },
    ...{ percent: state.percent, amountMinor: state.amountMinor, currency: state.currency },
  }
}
