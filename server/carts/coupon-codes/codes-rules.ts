import type { CartItem } from '../../../shared/carts/carts.ts'
import type { Secrets } from '../../core/common/public.ts'
import type { CouponDraft, PlatformCoupon } from '../../platforms/platform/public.ts'
import { computeDiscounts } from '../coupons/public.ts'

// Personal codes (decisions 33 and 34): pure rules.

/** Without characters that are easily confused, and without vowels, which could form words. */
const ALPHABET = 'BCDFGHJKMNPQRSTVWXYZ34679'
const LENGTH = 8
const LONGEST_PREFIX = 40
const DEFAULT_PREFIX = 'CART'

export interface CodeKey {
  storeId: string
  messageId: string
  couponId: string
  /** Prefix of its codes. */
  prefix: string
}

/** Deterministic per message. `derivation`: number of earlier codes that were already in use. */
export function deriveCode(
  secrets: Secrets,
  { storeId, messageId, couponId, prefix }: CodeKey,
  derivation = 0,
): string {
  const subject = `${storeId}:${messageId}:${couponId}${derivation === 0 ? '' : `:${derivation}`}`
  let letters = ''
  for (let round = 0; letters.length < LENGTH; round += 1) letters += deriveLetters(secrets, `${subject}#${round}`)
  return `${cleanPrefix(prefix)}-${letters.slice(0, LENGTH)}`
}

/** Drops bytes beyond the last full alphabet, which would make the first letters more likely. */
function deriveLetters(secrets: Secrets, subject: string): string {
  const fair = 256 - (256 % ALPHABET.length)
  return [...Buffer.from(secrets.token('coupon-code', subject), 'base64url')]
    .filter((byte) => byte < fair)
    .map((byte) => ALPHABET[byte % ALPHABET.length])
    .join('')
}

function cleanPrefix(prefix: string): string {
  const usable = prefix
    .toUpperCase()
    .replace(/[^A-Z0-9-]/g, '')
    .slice(0, LONGEST_PREFIX)
    // Bounded: the prefix is cut to forty characters.
    .replace(/^-+|-+$/g, '')
  return usable === '' ? DEFAULT_PREFIX : usable
}

/** Stored with a code in the store, to recognize it. */
export const buildCodeMark = (messageId: string): string => `message:${messageId}`

/** Next attempt after a refusal: 30 seconds, doubled up to fifteen minutes. */
export function computeRetry(now: Date, attempts: number): Date {
  return new Date(now.getTime() + Math.min(30_000 * 2 ** Math.min(Math.max(attempts - 1, 0), 10), 900_000))
}

/** Next check for a code that is not needed now: in a minute, no later than its message's check, but never at once. */
export function computeNextCheck(wakeAt: Date, now: Date): Date {
  const inAMinute = now.getTime() + 60_000
  return new Date(wakeAt > now ? Math.min(wakeAt.getTime(), inAMinute) : now.getTime() + 5_000)
}

/** Properties of a code, from its coupon, message and cart. */
export interface CodeInput {
  message_id: string
  code: string
  coupon_type: 'percentage' | 'fixed' | 'other'
  percent: number | null
  amount_minor: number | null
  currency: string
  min_spend_minor: number | null
  max_discount_minor: number | null
  is_tied_to_email: boolean
  email: string | null
  wanted_expires_at: Date
  /** Of the cart; null: no cart. */
  items: CartItem[] | null
}

/** Reasons why no code can be created, before the store is asked. */
export const IMPOSSIBLE = {
  noCart: 'A percentage with a maximum discount needs a cart to compute it for.',
  noGoods: 'Nothing in the cart can be bought any more.',
  noEmail: 'This coupon is tied to the recipient’s email, which is not known.',
} as const

export function findProblem(input: CodeInput): string | null {
  if (isCapped(input) && input.items === null) return IMPOSSIBLE.noCart
  if (isCapped(input) && input.items?.length === 0) return IMPOSSIBLE.noGoods
  return input.is_tied_to_email && !input.email ? IMPOSSIBLE.noEmail : null
}

const isCapped = ({ coupon_type, max_discount_minor }: CodeInput) =>
  coupon_type === 'percentage' && max_discount_minor !== null

/** Amount of a capped percentage for this cart (decision 33); null for other coupons. */
export function computeCappedAmount(input: CodeInput): number | null {
  const { max_discount_minor, items } = input
  if (!isCapped(input) || items === null) return null
  return Math.min(computeShare(input), max_discount_minor!)
}

/** The percentage's discount as a store would compute it. */
function computeShare({ items, percent, currency }: CodeInput): number {
  const lines = (items ?? []).map((item) => ({ ...item, isOnSale: null }))
  const coupon = { type: 'percentage' as const, platformType: '', percent, amountMinor: null, terms: {} }
  return computeDiscounts(lines, [coupon], { currency, decimals: null, isSequential: false })[0] ?? 0
}

/** usage_limit 1, for individual use, tied to an email only if the owner chose that (decision 34). */
export function buildCodeDraft(input: CodeInput): CouponDraft {
  const capped = computeCappedAmount(input)
  const isPercentage = input.coupon_type === 'percentage' && capped === null
  return {
    code: input.code,
    type: isPercentage ? 'percentage' : 'fixed',
    percent: isPercentage ? input.percent : null,
    amountMinor: isPercentage ? null : (capped ?? input.amount_minor),
    currency: input.currency,
    minSpendMinor: input.min_spend_minor,
    expiresAt: input.wanted_expires_at.toISOString(),
    usageLimit: 1,
    isIndividual: true,
    email: input.is_tied_to_email ? input.email : null,
    mark: buildCodeMark(input.message_id),
  }
}

/** Whether the store's coupon from an earlier attempt matches the draft. */
export function matchesDraft(coupon: PlatformCoupon, draft: CouponDraft): boolean {
  const emails = coupon.limits.emails.map((email) => email.toLowerCase())
  return (
    coupon.isPublished &&
    coupon.isIndividual &&
    coupon.usageLimit === 1 &&
    coupon.type === draft.type &&
    (draft.type === 'percentage' ? coupon.percent === draft.percent : coupon.amountMinor === draft.amountMinor) &&
    (coupon.minSpendMinor ?? 0) === (draft.minSpendMinor ?? 0) &&
    toSeconds(coupon.expiresAt) === toSeconds(draft.expiresAt) &&
    (draft.email === null ? emails.length === 0 : emails.length === 1 && emails[0] === draft.email.toLowerCase())
  )
}

/** Stores keep whole seconds. */
const toSeconds = (instant: string | null) =>
  instant === null ? null : Math.floor(new Date(instant).getTime() / 1_000)
