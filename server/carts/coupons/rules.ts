import type { CouponInput } from '../../../shared/coupons.ts'
import { currencyExponent, parseMinor } from '../../../shared/money.ts'
import type { CouponDraft, PlatformCoupon } from '../../platforms/platform/coupon.ts'
import type { CouponTerms } from '../../core/schema/coupons.ts'

// Coupons: pure rules. No clock, no database, no network.

const DAY_MS = 86_400_000

/** Who made a coupon stands in the store with it: the account, so that another one that reads the same store takes it for the store's own. */
export const markOf = (accountId: string, couponId: string): string => `coupon:${accountId}:${couponId}`

/** The id of a coupon made by this account; null: of anybody else's. */
export function markedId(mark: string | null, accountId: string): string | null {
  const [kind, account, id = ''] = mark?.split(':') ?? []
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
  return kind === 'coupon' && account === accountId && isId ? id : null
}

/** A code made for one message is no coupon of the list. */
export const isOfMessage = ({ mark }: Pick<PlatformCoupon, 'mark'>): boolean => mark?.startsWith('message:') ?? false

/** What is asked of a coupon, in minor units. */
export interface Wanted {
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

export function wantedOf(input: CouponInput, currency: string): Wanted {
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
    // Stores keep seconds.
    ends_at: new Date(Math.floor(Date.parse(input.endDate) / 1_000) * 1_000),
    usage_limit: input.usageLimit ?? null,
    is_active: input.isActive,
    valid_hours: input.validHours,
    is_tied_to_email: input.isTiedToEmail,
  }
}

type Times = Pick<Wanted, 'is_active' | 'starts_at' | 'ends_at'>

/** Decision 32: WooCommerce knows no start, and older versions publish whatever is said. `hasStart`: the store knows one. */
export const isWithheld = ({ is_active, starts_at }: Times, now: Date, hasStart: boolean): boolean =>
  !is_active || (!hasStart && starts_at > now)

/** The end in the store of one that nobody is to use. */
export const expiredAt = (now: Date): string => new Date(now.getTime() - DAY_MS).toISOString()

/** What stands in the store as its end. */
const endInStore = (wanted: Times, now: Date, hasStart: boolean): string =>
  isWithheld(wanted, now, hasStart) ? expiredAt(now) : wanted.ends_at.toISOString()

/** What is sent to the store. */
export const draftOf = (
  wanted: Wanted,
  { currency, now, hasStart }: { currency: string; now: Date; hasStart: boolean },
): Omit<CouponDraft, 'mark'> => ({
  code: wanted.code,
  type: wanted.type,
  percent: wanted.percent,
  amountMinor: wanted.amount_minor,
  currency,
  minSpendMinor: wanted.min_spend_minor,
  ...(hasStart && !isWithheld(wanted, now, hasStart) && { startsAt: wanted.starts_at.toISOString() }),
  expiresAt: endInStore(wanted, now, hasStart),
  usageLimit: wanted.usage_limit,
  isIndividual: false,
  email: null,
})

/** Addresses and parts of them stay in the store; hashes tell whether a recipient is one of them (C8). */
export function termsOf(coupon: PlatformCoupon, hashOf: (text: string) => Buffer): CouponTerms {
  const { emails, ...limits } = coupon.limits
  const kinds = Map.groupBy(emails, kindOfRestriction)
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
    emailPatterns: (kinds.get('pattern') ?? []).map((pattern) => ({ ...endsOf(pattern), hash: hashed(pattern) })),
    hasUnknownEmails: kinds.has('unknown'),
  }
}

/** `*` stands for anything. With two of them beside letters of the name nothing of fixed length is left that could be hashed. */
function kindOfRestriction(email: string): 'address' | 'domain' | 'pattern' | 'unknown' {
  if (!email.includes('*')) return 'address'
  if (/^\*@[^@]*$/.test(email)) return 'domain'
  return email.indexOf('*') === email.lastIndexOf('*') ? 'pattern' : 'unknown'
}

function endsOf(pattern: string) {
  const head = pattern.indexOf('*')
  return { head, tail: pattern.length - head - 1 }
}

/** Minor units as the specification's decimal number. */
export const decimal = (minor: number, currency: string): number => minor / 10 ** currencyExponent(currency)
