import type { StoreDb } from '../core/db.ts'
import { type DiscountRules, discountsOf } from '../coupons/discount.ts'
import { couponOfCode } from '../coupons/for-messages.ts'
import { couponProblem, forAnybody } from '../coupons/validity.ts'
import type { Deps } from '../deps.ts'
import { isTaken, type RestoredItem } from './restore-rules.ts'
import * as sql from './restore-sql.ts'

// The coupon of the message that a cart is brought back from (decision 14).

export interface OfferedCoupon {
  code: string
  /** Of what can be brought back; null: it cannot be known. */
  savingMinor: number | null
}

/** null: the message has none, or it cannot be used any more, as far as is known here. The store judges when it is used. */
export async function offeredCoupon(
  { now }: Pick<Deps, 'now'>,
  store: StoreDb,
  about: { messageId: string | null; items: readonly RestoredItem[]; rules: DiscountRules },
): Promise<OfferedCoupon | null> {
  const { messageId, items, rules } = about
  const message = messageId === null ? null : await sql.couponOfMessage(store, messageId)
  if (!message?.coupon_id) return null
  const state = await couponOfCode(store, { ...message, coupon_id: message.coupon_id, at: now() })
  if (!state) return null
  const { currency } = rules
  const lines = items.filter(isTaken)
  const shownMinor = lines.reduce((sum, { quantity, unitPriceMinor }) => sum + quantity * unitPriceMinor, 0)
  // Whose it is was asked when the message left.
  const use = { now: now(), goodForMs: 0, email: null, usedBefore: 0, cart: { lines, shownMinor, currency, rules } }
  if (couponProblem(forAnybody(state), use)) return null
  return { code: message.coupon_code, savingMinor: discountsOf(lines, [state], rules)[0] ?? null }
}
