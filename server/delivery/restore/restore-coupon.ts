import { computeDiscounts, type DiscountRules } from '../../carts/coupons/discount.ts'
import { loadEnteredCoupons, loadSentCoupon } from '../../carts/coupons/for-messages.ts'
import { type CouponState, findCouponProblem, removeRestrictions } from '../../carts/coupons/validity.ts'
import type { StoreDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { isTaken, type RestoredItem } from './restore-rules.ts'
import * as sql from './restore-sql.ts'

// The coupon that is restored with a cart: the message's, else the one the shopper had entered (decisions 14 and 37).

export interface OfferedCoupon {
  code: string
  /** Saving on the restorable items; null: unknown. */
  savingMinor: number | null
}

/** null: there is none, or our copy says that it is invalid. The store decides when it is used. */
export async function findOfferedCoupon(
  { now }: Pick<Deps, 'now'>,
  store: StoreDb,
  about: { cart: CouponCart; messageId: string | null; items: readonly RestoredItem[]; rules: DiscountRules },
): Promise<OfferedCoupon | null> {
  const { items, rules } = about
  const found = await findCoupon(store, { ...about, at: now() })
  if (!found) return null
  const { code, state } = found
  const { currency } = rules
  const lines = items.filter(isTaken)
  const shownMinor = lines.reduce((sum, { quantity, unitPriceMinor }) => sum + quantity * unitPriceMinor, 0)
  // Restrictions to addresses were checked when the message was sent.
  const use = { now: now(), goodForMs: 0, email: null, usedBefore: 0, cart: { lines, shownMinor, currency, rules } }
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
  const message = messageId === null ? null : await sql.couponOfMessage(store, messageId)
  if (!message?.coupon_id) return null
  const state = await loadSentCoupon(store, { ...message, coupon_id: message.coupon_id, at })
  return state && { code: message.coupon_code, state }
}
