import type { StoreDb } from '../../core/db/db.ts'
import { type DiscountRules, discountsOf } from '../../carts/coupons/discount.ts'
import { couponOfCode, enteredCoupons } from '../../carts/coupons/for-messages.ts'
import { type CouponState, couponProblem, forAnybody } from '../../carts/coupons/validity.ts'
import type { Deps } from '../../deps.ts'
import { isTaken, type RestoredItem } from './restore-rules.ts'
import * as sql from './restore-sql.ts'

// The coupon that comes back with a cart: of the message it is brought back from, else the one its shopper has entered (decisions 14 and 37).

export interface OfferedCoupon {
  code: string
  /** Of what can be brought back; null: it cannot be known. */
  savingMinor: number | null
}

/** null: there is none, or it cannot be used any more, as far as is known here. The store judges when it is used. */
export async function offeredCoupon(
  { now }: Pick<Deps, 'now'>,
  store: StoreDb,
  about: { cart: Carried; messageId: string | null; items: readonly RestoredItem[]; rules: DiscountRules },
): Promise<OfferedCoupon | null> {
  const { items, rules } = about
  const found = await couponWith(store, { ...about, at: now() })
  if (!found) return null
  const { code, state } = found
  const { currency } = rules
  const lines = items.filter(isTaken)
  const shownMinor = lines.reduce((sum, { quantity, unitPriceMinor }) => sum + quantity * unitPriceMinor, 0)
  // Whose it is was asked when the message left.
  const use = { now: now(), goodForMs: 0, email: null, usedBefore: 0, cart: { lines, shownMinor, currency, rules } }
  if (couponProblem(forAnybody(state), use)) return null
  return { code, savingMinor: discountsOf(lines, [state], rules)[0] ?? null }
}

/** What of a cart its coupon depends on. */
interface Carried {
  id: string
  shopper_id: string
  coupons: string[]
  coupon_code: string | null
}

async function couponWith(
  store: StoreDb,
  { cart, messageId, at }: { cart: Carried; messageId: string | null; at: Date },
): Promise<{ code: string; state: CouponState } | null> {
  if (cart.coupon_code === null) {
    const { id, shopper_id, coupons } = cart
    return (await enteredCoupons(store, [{ id, shopper_id, entered_codes: coupons }])).get(id) ?? null
  }
  const message = messageId === null ? null : await sql.couponOfMessage(store, messageId)
  if (!message?.coupon_id) return null
  const state = await couponOfCode(store, { ...message, coupon_id: message.coupon_id, at })
  return state && { code: message.coupon_code, state }
}
