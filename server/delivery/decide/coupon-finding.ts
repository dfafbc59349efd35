import {
  applyComputedAmount,
  type CouponSettings,
  type CouponState,
  type CouponUse,
  computeDiscounts,
  computeDisplayedRest,
  type DiscountCoupon,
  type DiscountLine,
  type DiscountRules,
  findCouponProblem,
  findEnd,
  findWithholdingRule,
  type MessageCoupon,
  MIN_VALID_MS,
} from '../../carts/coupons/public.ts'
import type { UnreadCoupon } from '../../carts/sync/public.ts'
import type { DisplayedCoupon } from '../compose/public.ts'

// Decides whether a message includes its coupon, omits it or waits for it (decisions 33 to 37). Pure.

export type CouponFinding =
  | IncludedCoupon
  /** The message is sent without it, or skipped. */
  | { outcome: 'left_out'; reason: string; isSkipped: boolean; code: string }
  | {
      outcome: 'waiting'
      reason: 'coupon_pending' | 'coupon_failed' | `coupon_unread:${string}`
      until: Date
      code: string
      refusal: string | null
    }

export interface IncludedCoupon extends DisplayedCoupon {
  outcome: 'included'
  couponId: string
  /** Fingerprint of the coupon's properties that the message text depends on. */
  wording: string
  /** An example code in place of a personal one. */
  isExample: boolean
}

export interface CouponCircumstances {
  now: Date
  cart: DisplayedGoods | null
  cartVersion: number | null
  hasBoughtBefore: boolean
  email: CouponUse['email']
  /** A preview or forecast; no personal code is created for it. */
  isImagined: boolean
  /** Why the store's copy of the coupon could not be read; null: it was read. */
  unread: UnreadCoupon | null
}

/** The items of a cart that are still available. */
export interface DisplayedGoods {
  lines: readonly DiscountLine[]
  /** Total per line as the cart shows it, in minor units. */
  displayed: readonly number[]
  displayedMinor: number
  currency: string
  rules: DiscountRules
  /** The shown prices differ from the entered ones (tax), and the entered ones are unknown. */
  isUnknown: boolean
}

const HOUR_MS = 3_600_000
/** A code is created within seconds, which also wakes the message; this is the fallback. */
const PENDING_MS = 60_000

export function evaluateCoupon(
  settings: CouponSettings,
  coupon: MessageCoupon | undefined,
  about: CouponCircumstances,
): CouponFinding {
  const { now, cart, hasBoughtBefore, unread } = about
  const skip = (reason: string) => buildSkipped(settings, coupon?.code ?? '', reason)
  if (!coupon?.state) return skip('coupon_invalid:gone')
  // Our copy may be outdated, so it does not count.
  if (unread?.problem) return waitForRead(coupon, unread)
  if (unread) return skip('coupon_invalid:unreadable')
  const { state, personal, isPersonal, lastUsedAt } = coupon
  const problem = findCouponProblem(state, buildUse(coupon, about))
  if (problem) return skip(`coupon_invalid:${problem}`)
  const isOfCurrency = cart?.currency === state.currency
  // With a maximum discount, personal codes are fixed amounts in the coupon's currency.
  if (cart && !isOfCurrency && coupon.maxDiscountMinor !== null) return skip('coupon_invalid:currency')
  const valueMinor = cart && isOfCurrency ? cart.displayedMinor : null
  const rule = findWithholdingRule(settings, { now, hasBoughtBefore, lastUsedAt, valueMinor })
  if (rule) return skip(`coupon_withheld:${rule}`)
  if (!isPersonal) return include(settings, { coupon, state, code: coupon.code }, about)
  if (about.isImagined)
    return include(settings, { coupon, state: capDiscount(coupon, state, cart), code: buildExampleCode(coupon) }, about)
  const waiting = findPendingCode(coupon, about)
  if (waiting) return waiting
  const code = personal!
  const end = code.expiresAt.getTime()
  if (code.isUsed) return skip('coupon_invalid:used_up')
  if (code.stage === 'deleted') return skip('coupon_invalid:gone')
  if (end < now.getTime() + getRequiredValidityMs(coupon)) return skip('coupon_invalid:expired')
  return include(settings, { coupon, state: applyComputedAmount(state, code), code: code.code }, about)
}

function buildSkipped({ fallback }: CouponSettings, code: string, reason: string): CouponFinding {
  return { outcome: 'left_out', reason, isSkipped: fallback === 'skip', code }
}

/** Holds only messages with this coupon, as after a failed order check (decision 35). */
function waitForRead(
  { code, personal }: MessageCoupon,
  { problem, detail, nextTryAt }: Extract<UnreadCoupon, { problem: string }>,
): CouponFinding {
  const reason = `coupon_unread:${problem}` as const
  return { outcome: 'waiting', reason, until: nextTryAt, refusal: detail, code: personal?.code ?? code }
}

/** How long the coupon must still be valid. A personal code for less than a day says so in its message. */
const getRequiredValidityMs = ({ isPersonal, validHours }: MessageCoupon): number =>
  isPersonal ? Math.min(MIN_VALID_MS, validHours * HOUR_MS) : MIN_VALID_MS

function buildUse(coupon: MessageCoupon, { now, cart, email }: CouponCircumstances): CouponUse {
  return { now, goodForMs: getRequiredValidityMs(coupon), email, usedBefore: coupon.usedBefore, cart }
}

function findPendingCode({ code, personal, isOfCart }: MessageCoupon, { now, cartVersion }: CouponCircumstances) {
  const pending = (exampleCode: string): CouponFinding => ({
    outcome: 'waiting',
    reason: 'coupon_pending',
    refusal: null,
    code: exampleCode,
    until: new Date(now.getTime() + PENDING_MS),
  })
  if (!personal) return pending(code)
  const { stage, nextTryAt, refusal } = personal
  if (stage === 'wanted') return pending(personal.code)
  if (stage === 'failed') {
    const failed: CouponFinding = {
      outcome: 'waiting',
      reason: 'coupon_failed',
      until: nextTryAt,
      refusal,
      code: personal.code,
    }
    return failed
  }
  if (stage === 'deleted' || personal.isUsed) return null
  // A code for another cart version, other goods or edited terms is about to be updated in the store.
  const isCurrent = personal.isOfTerms && personal.isOfGoods && (!isOfCart || personal.cartVersion === cartVersion)
  return isCurrent ? null : pending(personal.code)
}

function capDiscount(
  { maxDiscountMinor }: MessageCoupon,
  state: CouponState,
  cart: DisplayedGoods | null,
): CouponState {
  if (maxDiscountMinor === null || state.type !== 'percentage') return state
  const share = cart && computeDiscounts(cart.lines, [state], cart.rules)[0]
  const amountMinor = Math.min(share ?? maxDiscountMinor, maxDiscountMinor)
  return { ...state, type: 'fixed', percent: null, amountMinor }
}

const buildExampleCode = ({ code }: MessageCoupon): string => `${code}-EXAMPLE`

function include(
  { id }: CouponSettings,
  { coupon, state, code }: { coupon: MessageCoupon; state: CouponState; code: string },
  about: CouponCircumstances,
): IncludedCoupon {
  const { percent, amountMinor, currency } = state
  return {
    outcome: 'included',
    couponId: id,
    wording: coupon.wording,
    code,
    isExample: coupon.isPersonal && about.isImagined,
    percent: state.type === 'percentage' ? percent : null,
    amountMinor,
    currency,
    isFreeShipping: state.platformType === 'free_shipping',
    minSpendMinor: state.minSpendMinor,
    expiresAt: computeExpiry(coupon, state, about.now),
    totalMinor: computeTotalAfter(about.cart, state),
  }
}

/**
 * A personal code is valid for its hours from the send, in the store a little longer. The message shows the earliest
 * end (decision 34).
 */
function computeExpiry(
  { isPersonal, validHours, personal }: MessageCoupon,
  state: CouponState,
  now: Date,
): Date | null {
  const end = findEnd(state)
  if (!isPersonal) return end
  const ends = [now.getTime() + validHours * HOUR_MS, personal?.expiresAt.getTime(), end?.getTime()]
  return new Date(Math.min(...ends.filter((each) => each !== undefined)))
}

export function computeTotalAfter(cart: DisplayedGoods | null, coupon: DiscountCoupon): number | null {
  if (!cart || cart.isUnknown) return null
  const after = computeDisplayedRest(cart.lines, cart.displayed, coupon, cart.rules)
  if (!after) return null
  const saving = after.reduce((sum, each, at) => sum + cart.displayed[at]! - each, 0)
  return Math.max(0, cart.displayedMinor - saving)
}
