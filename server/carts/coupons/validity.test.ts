import { describe, expect, test } from 'vitest'
import { type CouponState, type CouponUse, couponProblem, endOf, GOOD_FOR_MS, withheldBy } from './validity.ts'

// Decisions 35 and 36 as tables. Refusals of a real store are in discount.test.ts.

const HOUR = 3_600_000
const now = new Date('2026-11-20T12:00:00Z')
const at = (hours: number) => new Date(now.getTime() + hours * HOUR)

/** Replaces the keyed hash. */
const hashOf = (text: string) => `#${text}`

const coupon = (changed: Partial<CouponState> = {}): CouponState => ({
  ...{ type: 'percentage', platformType: 'percent', percent: 1_000, amountMinor: null, currency: 'USD', terms: {} },
  ...{ minSpendMinor: null, maxSpendMinor: null, startsAt: null, endsAt: null, usageLimit: null, usageCount: 0 },
  ...{ isActive: true, goneAt: null },
  ...changed,
})

const use = (changed: Partial<CouponUse> = {}): CouponUse => ({
  ...{ now, goodForMs: GOOD_FOR_MS, email: { address: 'ada@shoppers.example', hashOf }, usedBefore: 0 },
  cart: {
    lines: [{ productId: '1', variationId: null, quantity: 2, unitPriceMinor: 2_500, isOnSale: false }],
    shownMinor: 5_000,
    currency: 'USD',
    rules: { currency: 'USD', decimals: 2, isSequential: false },
  },
  ...changed,
})

const cases: [string, Partial<CouponState>, string | null][] = [
  ['one without limits', {}, null],
  ['one that was deleted in the store', { goneAt: now }, 'gone'],
  ['one that is switched off', { isActive: false }, 'inactive'],
  ['a draft in the store', { terms: { isPublished: false } }, 'inactive'],
  ['one that begins in a minute', { startsAt: at(1 / 60) }, 'not_started'],
  ['one that began now', { startsAt: now }, null],
  ['one that ends a day from now', { endsAt: at(24) }, null],
  ['one that ends before that', { endsAt: new Date(at(24).getTime() - 1) }, 'expired'],
  ['one that ends sooner in the store', { endsAt: at(90), terms: { expiresAt: at(2).toISOString() } }, 'expired'],
  ['one with a use left', { usageLimit: 3, usageCount: 2 }, null],
  ['one that is used up', { usageLimit: 3, usageCount: 3 }, 'used_up'],
  ['a minimum met exactly', { minSpendMinor: 5_000 }, null],
  ['a minimum missed', { minSpendMinor: 5_001 }, 'min_spend'],
  ['a maximum met exactly', { maxSpendMinor: 5_000 }, null],
  ['a maximum exceeded', { maxSpendMinor: 4_999 }, 'max_spend'],
  ['an amount in another currency', { type: 'fixed', amountMinor: 100, currency: 'EUR' }, 'currency'],
  ['a percentage where the copy has another currency', { currency: 'EUR' }, null],
  ['one for another address', { terms: { emailHashes: ['#bob@shoppers.example'] } }, 'email'],
  ['one for this address', { terms: { emailHashes: ['#bob@shoppers.example', '#ada@shoppers.example'] } }, null],
  ['one for this domain', { terms: { emailDomains: ['*@shoppers.example'] } }, null],
  ['one for addresses like this', { terms: { emailDomains: ['A*@shop*.example'] } }, null],
  ['one for another domain', { terms: { emailDomains: ['*@shop.example', 'ada@shoppers.example*x'] } }, 'email'],
  ['one for another product', { terms: { productIds: ['2'] } }, 'products'],
  ['one for any other product', { terms: { excludedProductIds: ['1'] } }, 'products'],
  ['one that takes nothing off', { percent: 0 }, 'nothing_off'],
  ['one for categories, which nobody here knows', { terms: { categoryIds: ['7'] } }, null],
]

describe('a coupon is valid for a message, or the first problem is returned', () => {
  test.each(cases)('%s', (_, changed, problem) => {
    expect(couponProblem(coupon(changed), use())).toBe(problem)
  })

  test('a recipient without an address gets no coupon restricted to addresses', () => {
    expect(couponProblem(coupon({ terms: { emailHashes: ['ada'] } }), use({ email: null }))).toBe('email')
  })

  test('a recipient who reached the usage limit does not get it again', () => {
    const once = coupon({ terms: { usageLimitPerUser: 1 } })
    expect(couponProblem(once, use())).toBeNull()
    expect(couponProblem(once, use({ usedBefore: 1 }))).toBe('used_before')
  })

  test('a message without a cart checks no cart limits', () => {
    expect(couponProblem(coupon({ minSpendMinor: 9_000, percent: 0 }), use({ cart: null }))).toBeNull()
  })

  test('a percentage leaves sale items out, and a fixed amount is refused as a whole', () => {
    const cart = use().cart!
    const sale = { ...cart.lines[0]!, productId: '2', isOnSale: true }
    const mixed = use({ cart: { ...cart, lines: [...cart.lines, sale] } })
    const terms = { excludesSaleItems: true }
    const fixed = coupon({ type: 'fixed', percent: null, amountMinor: 500, terms })
    expect(couponProblem(coupon({ terms }), mixed)).toBeNull()
    expect(couponProblem(coupon({ terms }), use({ cart: { ...cart, lines: [sale] } }))).toBe('sale_items')
    expect(couponProblem(fixed, mixed)).toBe('sale_items')
    expect(couponProblem(fixed, use())).toBeNull()
  })

  test('the earlier end date of ours and the store’s applies', () => {
    expect(endOf(coupon())).toBeNull()
    expect(endOf(coupon({ endsAt: at(5) }))).toEqual(at(5))
    expect(endOf(coupon({ endsAt: at(5), terms: { expiresAt: at(3).toISOString() } }))).toEqual(at(3))
    expect(endOf(coupon({ endsAt: at(2), terms: { expiresAt: at(3).toISOString() } }))).toEqual(at(2))
  })
})

describe('guard rails withhold a coupon (decision 36)', () => {
  const rails = { isFirstOrderOnly: false, pauseDays: null, aboveMinor: null }
  const facts = { now, hasBoughtBefore: false, lastUsedAt: null, valueMinor: 5_000 }
  test.each([
    ['nobody if no rule is set', rails, { ...facts, hasBoughtBefore: true, lastUsedAt: now, valueMinor: 1 }, null],
    ['who bought before', { ...rails, isFirstOrderOnly: true }, { ...facts, hasBoughtBefore: true }, 'first_order'],
    ['not the first-time buyer', { ...rails, isFirstOrderOnly: true }, facts, null],
    ['who used one within the days', { ...rails, pauseDays: 90 }, { ...facts, lastUsedAt: at(-89 * 24) }, 'pause'],
    ['not who used one before', { ...rails, pauseDays: 90 }, { ...facts, lastUsedAt: at(-90 * 24) }, null],
    ['not who never did', { ...rails, pauseDays: 90 }, facts, null],
    ['a cart of that value', { ...rails, aboveMinor: 5_000 }, facts, 'above'],
    ['not a cart above it', { ...rails, aboveMinor: 4_999 }, facts, null],
    ['a person without a cart', { ...rails, aboveMinor: 1 }, { ...facts, valueMinor: null }, 'above'],
  ])('%s', (_, given, known, rule) => {
    expect(withheldBy(given, known)).toBe(rule)
  })
})
