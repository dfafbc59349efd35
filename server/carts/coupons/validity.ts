import type { CouponTerms } from '../../core/schema/public.ts'
import { computeDiscounts, type DiscountCoupon, type DiscountLine, type DiscountRules, isMatching } from './discount.ts'

// Decides whether a coupon is valid for a message (decision 35) and whether a guard rail withholds it (decision 36).
// Pure.

/** As in the decision record: `coupon_invalid:expired`. */
export type CouponProblem =
  | 'gone'
  | 'inactive'
  | 'not_started'
  | 'expired'
  | 'used_up'
  | 'used_before'
  | 'email'
  | 'currency'
  | 'min_spend'
  | 'max_spend'
  | 'products'
  | 'sale_items'
  | 'nothing_off'

export interface CouponState extends DiscountCoupon {
  currency: string
  minSpendMinor: number | null
  maxSpendMinor: number | null
  startsAt: Date | null
  endsAt: Date | null
  usageLimit: number | null
  usageCount: number
  isActive: boolean
  goneAt: Date | null
}

export interface CouponUse {
  now: Date
  /** The coupon must be valid for at least this long. */
  goodForMs: number
  /** null: the message has no cart, so cart limits are not checked. */
  cart: CouponCart | null
  /** The lower-case address and its hash function (hex); null: no address. */
  email: Recipient | null
  /** Orders of the recipient with the coupon. */
  usedBefore: number
}

interface Recipient {
  address: string
  hashOf: (text: string) => string
}

export interface CouponCart {
  lines: readonly DiscountLine[]
  /** Value of the items still available, as the cart shows it. */
  displayedMinor: number
  currency: string
  rules: DiscountRules
}

/** A message's coupon must be valid for at least a day. */
export const MIN_VALID_MS = 24 * 3_600_000

/** The first problem; null if the coupon is valid as far as known. */
export function findCouponProblem(coupon: CouponState, use: CouponUse): CouponProblem | null {
  return checkCoupon(coupon, use) ?? checkRecipient(coupon, use) ?? (use.cart && checkCart(coupon, use.cart))
}

function checkCoupon(coupon: CouponState, { now, goodForMs }: CouponUse): CouponProblem | null {
  const { goneAt, isActive, terms, startsAt, usageLimit, usageCount } = coupon
  if (goneAt) return 'gone'
  if (!isActive || terms.isPublished === false) return 'inactive'
  if (startsAt && startsAt > now) return 'not_started'
  const end = findEnd(coupon)
  if (end && end.getTime() < now.getTime() + goodForMs) return 'expired'
  return usageLimit !== null && usageLimit > 0 && usageCount >= usageLimit ? 'used_up' : null
}

/** End date set here or in the store, whichever is earlier; null: none. */
export function findEnd({ endsAt, terms }: Pick<CouponState, 'endsAt' | 'terms'>): Date | null {
  const inStore = terms.expiresAt ? new Date(terms.expiresAt) : null
  if (!endsAt || !inStore) return endsAt ?? inStore
  return endsAt < inStore ? endsAt : inStore
}

function checkRecipient({ terms }: CouponState, { email, usedBefore }: CouponUse): CouponProblem | null {
  if (terms.usageLimitPerUser && usedBefore >= terms.usageLimitPerUser) return 'used_before'
  const { emailHashes = [], emailDomains = [], emailPatterns = [], hasUnknownEmails = false } = terms
  const isRestricted = hasUnknownEmails || [emailHashes, emailDomains, emailPatterns].some(({ length }) => length > 0)
  if (!isRestricted) return null
  if (email === null) return 'email'
  const { address, hashOf } = email
  const isAllowed =
    hasUnknownEmails ||
    emailDomains.some((domain) => matchesPattern(address, domain)) ||
    emailPatterns.some((pattern) => matchesPatternHash(email, pattern)) ||
    (emailHashes.length > 0 && emailHashes.includes(hashOf(address)))
  return isAllowed ? null : 'email'
}

/** Compares the hash of the address's ends with that of the pattern. */
function matchesPatternHash({ address, hashOf }: Recipient, { head, tail, hash }: EmailPattern): boolean {
  if (address.length < head + tail) return false
  return hashOf(`${address.slice(0, head)}*${address.slice(address.length - tail)}`) === hash
}

type EmailPattern = NonNullable<CouponTerms['emailPatterns']>[number]

/** Removes the restriction to certain addresses. */
export function removeRestrictions<State extends CouponState>(coupon: State): State {
  const anybody = { emailHashes: [], emailDomains: [], emailPatterns: [], hasUnknownEmails: false }
  return { ...coupon, terms: { ...coupon.terms, ...anybody } }
}

/** `*` matches anything, as in `*@shop.example`. */
function matchesPattern(address: string, pattern: string): boolean {
  const [first = '', ...parts] = pattern.toLowerCase().split('*')
  const last = parts.pop()
  if (last === undefined) return address === first
  if (!address.startsWith(first)) return false
  let at = first.length
  for (const part of parts) {
    const found = address.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return address.length - last.length >= at && address.endsWith(last)
}

function checkCart(coupon: CouponState, { lines, displayedMinor, currency, rules }: CouponCart): CouponProblem | null {
  const { type, minSpendMinor, maxSpendMinor } = coupon
  // A percentage without limits applies in every currency.
  const isOfMoney = type !== 'percentage' || minSpendMinor !== null || maxSpendMinor !== null
  if (isOfMoney && coupon.currency !== currency) return 'currency'
  // Both limits are inclusive.
  if (minSpendMinor !== null && displayedMinor < minSpendMinor) return 'min_spend'
  if (maxSpendMinor !== null && displayedMinor > maxSpendMinor) return 'max_spend'
  const problem = type === 'fixed' ? checkWholeCart(coupon, lines) : checkProducts(coupon, lines)
  if (problem) return problem
  return computeDiscounts(lines, [coupon], rules)[0] === 0 ? 'nothing_off' : null
}

/** A fixed cart discount with excluded items is refused as a whole. */
function checkWholeCart({ terms }: CouponState, lines: readonly DiscountLine[]): CouponProblem | null {
  const isIn = (ids: readonly string[]) =>
    lines.some(({ productId, variationId }) => ids.includes(productId) || ids.includes(variationId ?? ''))
  if (terms.productIds?.length && !isIn(terms.productIds)) return 'products'
  if (isIn(terms.excludedProductIds ?? [])) return 'products'
  return terms.excludesSaleItems && lines.some(({ isOnSale }) => isOnSale === true) ? 'sale_items' : null
}

/** Other types apply to matching items, if there are any. */
function checkProducts(coupon: CouponState, lines: readonly DiscountLine[]): CouponProblem | null {
  if (lines.some((line) => isMatching(coupon, line))) return null
  const { terms } = coupon
  const isForSome = Boolean(terms.productIds?.length || terms.excludedProductIds?.length)
  return terms.excludesSaleItems && !isForSome ? 'sale_items' : 'products'
}

/** As in the decision record: `coupon_withheld:pause`. */
export type WithheldRule = 'first_order' | 'pause' | 'above'

export interface GuardRails {
  isFirstOrderOnly: boolean
  /** null: not checked. */
  pauseDays: number | null
  /** null: any cart. */
  aboveMinor: number | null
}

export interface GuardFacts {
  now: Date
  hasBoughtBefore: boolean
  /** The shopper's last use of one of our coupons; null: never. */
  lastUsedAt: Date | null
  /** Value of the cart as shown; null: no cart. */
  valueMinor: number | null
}

/** The first rule that withholds the coupon; null: none. */
export function findWithholdingRule(rails: GuardRails, facts: GuardFacts): WithheldRule | null {
  if (rails.isFirstOrderOnly && facts.hasBoughtBefore) return 'first_order'
  const { lastUsedAt } = facts
  const pauseMs = (rails.pauseDays ?? 0) * 86_400_000
  if (lastUsedAt && facts.now.getTime() - lastUsedAt.getTime() < pauseMs) return 'pause'
  if (rails.aboveMinor === null) return null
  return facts.valueMinor !== null && facts.valueMinor > rails.aboveMinor ? null : 'above'
}
