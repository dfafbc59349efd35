import type { CartItem } from '../../../shared/carts.ts'
import type { Secrets } from '../../core/common/secrets.ts'
import { discountsOf } from '../coupons/discount.ts'
import type { CouponDraft, PlatformCoupon } from '../../platforms/platform/coupon.ts'

// Personal codes (decisions 33 and 34): pure rules.

/** No letter or digit that is taken for another one, and no vowels, which make words. */
const ALPHABET = 'BCDFGHJKMNPQRSTVWXYZ34679'
const LENGTH = 8
const LONGEST_PREFIX = 40
const DEFAULT_PREFIX = 'CART'

export interface CodeKey {
  storeId: string
  messageId: string
  couponId: string
  /** What its codes begin with. */
  prefix: string
}

/** The same message has the same code; `derivation` counts those that were somebody else's. */
export function codeOf(secrets: Secrets, { storeId, messageId, couponId, prefix }: CodeKey, derivation = 0): string {
  const subject = `${storeId}:${messageId}:${couponId}${derivation === 0 ? '' : `:${derivation}`}`
  let letters = ''
  for (let round = 0; letters.length < LENGTH; round += 1) letters += lettersOf(secrets, `${subject}#${round}`)
  return `${prefixOf(prefix)}-${letters.slice(0, LENGTH)}`
}

/** Bytes beyond the last whole alphabet are dropped, or the first letters would be more likely than the others. */
function lettersOf(secrets: Secrets, subject: string): string {
  const fair = 256 - (256 % ALPHABET.length)
  return [...Buffer.from(secrets.token('coupon-code', subject), 'base64url')]
    .filter((byte) => byte < fair)
    .map((byte) => ALPHABET[byte % ALPHABET.length])
    .join('')
}

function prefixOf(prefix: string): string {
  const usable = prefix
    .toUpperCase()
    .replace(/[^A-Z0-9-]/g, '')
    .slice(0, LONGEST_PREFIX)
    // Bounded: cut to forty characters.
    .replace(/^-+|-+$/g, '')
  return usable === '' ? DEFAULT_PREFIX : usable
}

/** Kept with a code in the store, to know it again. */
export const markOf = (messageId: string): string => `message:${messageId}`

/** A store that refuses a code: after 30 seconds, a minute, two … fifteen minutes at most. */
export function retryAt(now: Date, attempts: number): Date {
  return new Date(now.getTime() + Math.min(30_000 * 2 ** Math.min(Math.max(attempts - 1, 0), 10), 900_000))
}

/** One that nobody gets as things stand: in a minute, but no later than its message is looked at; of one that is being looked at, in a moment. */
export function lookAgainAt(wakeAt: Date, now: Date): Date {
  const inAMinute = now.getTime() + 60_000
  return new Date(wakeAt > now ? Math.min(wakeAt.getTime(), inAMinute) : now.getTime() + 5_000)
}

/** What a code is to be in the store, by its coupon, message and cart. */
export interface WantedCode {
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
  /** Of the cart; null: there is no cart. */
  items: CartItem[] | null
}

/** Why no code can be made, before the store is asked. */
export const UNMAKABLE = {
  noCart: 'A percentage with a maximum discount needs a cart to compute it for.',
  noGoods: 'Nothing in the cart can be bought any more.',
  noEmail: 'This coupon is tied to the recipient’s email, which is not known.',
} as const

export function problemOf(wanted: WantedCode): string | null {
  if (isCapped(wanted) && wanted.items === null) return UNMAKABLE.noCart
  if (isCapped(wanted) && wanted.items?.length === 0) return UNMAKABLE.noGoods
  return wanted.is_tied_to_email && !wanted.email ? UNMAKABLE.noEmail : null
}

const isCapped = ({ coupon_type, max_discount_minor }: WantedCode) =>
  coupon_type === 'percentage' && max_discount_minor !== null

/** Of a capped percentage the amount for this cart (decision 33); null of any other. */
export function cappedAmount(wanted: WantedCode): number | null {
  const { max_discount_minor, items } = wanted
  if (!isCapped(wanted) || items === null) return null
  return Math.min(shareOf(wanted), max_discount_minor!)
}

/** As a store would compute the percentage for this cart. */
function shareOf({ items, percent, currency }: WantedCode): number {
  const lines = (items ?? []).map((item) => ({ ...item, isOnSale: null }))
  const coupon = { type: 'percentage' as const, platformType: '', percent, amountMinor: null, terms: {} }
  return discountsOf(lines, [coupon], { currency, decimals: null, isSequential: false })[0] ?? 0
}

/** usage_limit 1, for individual use, tied to an email only where its owner ticked it (decision 34). */
export function draftOf(wanted: WantedCode): CouponDraft {
  const capped = cappedAmount(wanted)
  const isPercentage = wanted.coupon_type === 'percentage' && capped === null
  return {
    code: wanted.code,
    type: isPercentage ? 'percentage' : 'fixed',
    percent: isPercentage ? wanted.percent : null,
    amountMinor: isPercentage ? null : (capped ?? wanted.amount_minor),
    currency: wanted.currency,
    minSpendMinor: wanted.min_spend_minor,
    expiresAt: wanted.wanted_expires_at.toISOString(),
    usageLimit: 1,
    isIndividual: true,
    email: wanted.is_tied_to_email ? wanted.email : null,
    mark: markOf(wanted.message_id),
  }
}

/** Whether what an earlier try has left in the store is what is wanted now. */
export function isAsWanted(coupon: PlatformCoupon, draft: CouponDraft): boolean {
  const emails = coupon.limits.emails.map((email) => email.toLowerCase())
  return (
    coupon.isPublished &&
    coupon.isIndividual &&
    coupon.usageLimit === 1 &&
    coupon.type === draft.type &&
    (draft.type === 'percentage' ? coupon.percent === draft.percent : coupon.amountMinor === draft.amountMinor) &&
    (coupon.minSpendMinor ?? 0) === (draft.minSpendMinor ?? 0) &&
    secondsOf(coupon.expiresAt) === secondsOf(draft.expiresAt) &&
    (draft.email === null ? emails.length === 0 : emails.length === 1 && emails[0] === draft.email.toLowerCase())
  )
}

/** Stores keep whole seconds. */
const secondsOf = (instant: string | null) =>
  instant === null ? null : Math.floor(new Date(instant).getTime() / 1_000)
