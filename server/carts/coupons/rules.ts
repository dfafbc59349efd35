import type { CouponInput } from '../../../shared/carts/coupons.ts'
import { getCurrencyExponent, parseMinor } from '../../../shared/core/money.ts'
import type { CouponTerms } from '../../core/schema/public.ts'
import type { CouponDraft, PlatformCoupon } from '../../platforms/platform/public.ts'

// Coupons: pure rules. No clock, no database, no network.

const DAY_MS = 86_400_000

/** Mark stored with a coupon: names the account, so that another account on the same store treats it as the store's. */
export const buildMark = (accountId: string, couponId: string): string => `coupon:${accountId}:${couponId}`

/** Id of a coupon created by this account; null for any other. */
export function parseMark(mark: string | null, accountId: string): string | null {
  const [kind, account, id = ''] = mark?.split(':') ?? []
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
  return kind === 'coupon' && account === accountId && isId ? id : null
}

/** Whether it is the code of one message, which the list does not show. */
export const isMessageCode = ({ mark }: Pick<PlatformCoupon, 'mark'>): boolean => mark?.startsWith('message:') ?? false

/** Requested values of a coupon, in minor units. */
export interface CouponValues {
  code: string
  type: 'percentage' | 'fixed'
  percent: number | null
  amount_minor: number | null
  min_spend_minor: number | null
  max_discount_minor: number | null
  starts_at: Date
  ends_at: Date
  usage_limit: number | null
  is_active: boolean
  valid_hours: number
  is_tied_to_email: boolean
}

export function toCouponValues(input: CouponInput, currency: string): CouponValues {
  const isPercentage = input.type === 'percentage'
  const minor = (amount: number | null | undefined) => (amount == null ? null : parseMinor(amount, currency))
  return {
    code: input.code,
    type: input.type,
    percent: isPercentage ? Math.round(input.amount * 100) : null,
    amount_minor: isPercentage ? null : minor(input.amount),
    min_spend_minor: minor(input.minSpend),
    max_discount_minor: minor(input.maxDiscount),
    starts_at: new Date(input.startDate),
    // Stores keep whole seconds.
    ends_at: new Date(Math.floor(Date.parse(input.endDate) / 1_000) * 1_000),
    usage_limit: input.usageLimit ?? null,
    is_active: input.isActive,
    valid_hours: input.validHours,
    is_tied_to_email: input.isTiedToEmail,
  }
}

type Times = Pick<CouponValues, 'is_active' | 'starts_at' | 'ends_at'>

/**
 * Decision 32: WooCommerce has no start date, and older versions publish every draft. `hasStart`: the store has one.
 */
export const isWithheld = ({ is_active, starts_at }: Times, now: Date, hasStart: boolean): boolean =>
  !is_active || (!hasStart && starts_at > now)

/** End date in the store of a coupon that must not be usable. */
export const computeExpiredEnd = (now: Date): string => new Date(now.getTime() - DAY_MS).toISOString()

/** End date to write to the store. */
const computeStoreEnd = (values: Times, now: Date, hasStart: boolean): string =>
  isWithheld(values, now, hasStart) ? computeExpiredEnd(now) : values.ends_at.toISOString()

/** Draft to write to the store. */
export const buildDraft = (
  values: CouponValues,
  { currency, now, hasStart }: { currency: string; now: Date; hasStart: boolean },
): Omit<CouponDraft, 'mark'> => ({
  code: values.code,
  type: values.type,
  percent: values.percent,
  amountMinor: values.amount_minor,
  currency,
  minSpendMinor: values.min_spend_minor,
  ...(hasStart && !isWithheld(values, now, hasStart) && { startsAt: values.starts_at.toISOString() }),
  expiresAt: computeStoreEnd(values, now, hasStart),
  usageLimit: values.usage_limit,
  isIndividual: false,
  email: null,
})

/** Email restrictions are stored as hashes, which still tell whether a recipient matches (C8). */
export function buildTerms(coupon: PlatformCoupon, hashOf: (text: string) => Buffer): CouponTerms {
  const { emails, ...limits } = coupon.limits
  const kinds = Map.groupBy(emails, classifyRestriction)
  const hashed = (text: string) => hashOf(text).toString('hex')
  return {
    ...limits,
    isPublished: coupon.isPublished,
    expiresAt: coupon.expiresAt,
    isIndividual: coupon.isIndividual,
    excludesSaleItems: coupon.excludesSaleItems,
    usageLimitPerUser: coupon.usageLimitPerUser,
    emailHashes: (kinds.get('address') ?? []).map(hashed),
    emailDomains: kinds.get('domain') ?? [],
    emailPatterns: (kinds.get('pattern') ?? []).map((pattern) => ({ ...splitPattern(pattern), hash: hashed(pattern) })),
    hasUnknownEmails: kinds.has('unknown'),
  }
}

/** `*` matches anything. A pattern with two of them and letters of the name has no fixed part to hash. */
function classifyRestriction(email: string): 'address' | 'domain' | 'pattern' | 'unknown' {
  if (!email.includes('*')) return 'address'
  if (/^\*@[^@]*$/.test(email)) return 'domain'
  return email.indexOf('*') === email.lastIndexOf('*') ? 'pattern' : 'unknown'
}

function splitPattern(pattern: string) {
  const head = pattern.indexOf('*')
  return { head, tail: pattern.length - head - 1 }
}

/** Minor units as the decimal number of the specification. */
export const toDecimal = (minor: number, currency: string): number => minor / 10 ** getCurrencyExponent(currency)
