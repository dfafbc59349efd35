import { describe, expect, test } from 'vitest'
import {
  type CouponState,
  type CouponUse,
  findCouponProblem,
  findEnd,
  findWithholdingRule,
  MIN_VALID_MS,
} from './validity.ts'

// Decisions 35 and 36 as tables. Refusals of a real store are in discount.test.ts.

const HOUR = 3_600_000
const now = new Date('2026-11-20T12:00:00Z')
const at = (hours: number) => new Date(now.getTime() + hours * HOUR)

/** Replaces the keyed hash. */
const hashOf = (text: string) => `#${text}`

const coupon = (changed: Partial<CouponState> = {}): CouponState => ({
  type: 'percentage',
  platformType: 'percent',
  percent: 1_000,
  amountMinor: null,
  currency: 'USD',
  terms: {},
  minSpendMinor: null,
  maxSpendMinor: null,
  startsAt: null,
  endsAt: null,
  usageLimit: null,
  usageCount: 0,
  isActive: true,
  goneAt: null,
  ...changed,
})

const use = (changed: Partial<CouponUse> = {}): CouponUse => ({
  now,
  goodForMs: MIN_VALID_MS,
  email: { address: 'ada@shoppers.example', hashOf },
  usedBefore: 0,
  cart: {
    lines: [{ productId: '1', variationId: null, quantity: 2, unitPriceMinor: 2_500, isOnSale: false }],
    displayedMinor: 5_000,
    currency: 'USD',
    rules: { currency: 'USD', decimals: 2, isSequential: false },
  },
  ...changed,
})

const cases: [string, Partial<CouponState>, string | null][] = [
  ['a coupon without limits', {}, null],
  ['a coupon deleted in the store', { goneAt: now }, 'gone'],
  ['an inactive coupon', { isActive: false }, 'inactive'],
  ['a draft in the store', { terms: { isPublished: false } }, 'inactive'],
  ['a coupon that starts in a minute', { startsAt: at(1 / 60) }, 'not_started'],
  ['a coupon that starts now', { startsAt: now }, null],
  ['a coupon that ends in a day', { endsAt: at(24) }, null],
  ['a coupon that ends before that', { endsAt: new Date(at(24).getTime() - 1) }, 'expired'],
  ['a coupon that ends earlier in the store', { endsAt: at(90), terms: { expiresAt: at(2).toISOString() } }, 'expired'],
  ['a coupon with one use left', { usageLimit: 3, usageCount: 2 }, null],
  ['a used-up coupon', { usageLimit: 3, usageCount: 3 }, 'used_up'],
  ['a minimum met exactly', { minSpendMinor: 5_000 }, null],
  ['a minimum missed', { minSpendMinor: 5_001 }, 'min_spend'],
  ['a maximum met exactly', { maxSpendMinor: 5_000 }, null],
  ['a maximum exceeded', { maxSpendMinor: 4_999 }, 'max_spend'],
  ['an amount in another currency', { type: 'fixed', amountMinor: 100, currency: 'EUR' }, 'currency'],
  ['a percentage with another currency in the copy', { currency: 'EUR' }, null],
  ['a coupon for another address', { terms: { emailHashes: ['#bob@shoppers.example'] } }, 'email'],
  ['a coupon for this address', { terms: { emailHashes: ['#bob@shoppers.example', '#ada@shoppers.example'] } }, null],
  ['a coupon for this domain', { terms: { emailDomains: ['*@shoppers.example'] } }, null],
  ['a coupon for a matching address pattern', { terms: { emailDomains: ['A*@shop*.example'] } }, null],
  ['a coupon for another domain', { terms: { emailDomains: ['*@shop.example', 'ada@shoppers.example*x'] } }, 'email'],
  ['a coupon for another product', { terms: { productIds: ['2'] } }, 'products'],
  ['a coupon for all other products', { terms: { excludedProductIds: ['1'] } }, 'products'],
  ['a coupon without a discount', { percent: 0 }, 'nothing_off'],
  ['a coupon for categories, which we do not know', { terms: { categoryIds: ['7'] } }, null],
]

describe('a coupon is valid for a message, or the first problem is returned', () => {
  test.each(cases)('%s', (_, changed, problem) => {
    expect(findCouponProblem(coupon(changed), use())).toBe(problem)
  })

  test('a recipient without an address gets no coupon restricted to addresses', () => {
    expect(findCouponProblem(coupon({ terms: { emailHashes: ['ada'] } }), use({ email: null }))).toBe('email')
  })

  test('a recipient who reached the usage limit does not get it again', () => {
    const once = coupon({ terms: { usageLimitPerUser: 1 } })
    expect(findCouponProblem(once, use())).toBeNull()
    expect(findCouponProblem(once, use({ usedBefore: 1 }))).toBe('used_before')
  })

  test('a message without a cart checks no cart limits', () => {
    expect(findCouponProblem(coupon({ minSpendMinor: 9_000, percent: 0 }), use({ cart: null }))).toBeNull()
  })

  test('a percentage leaves sale items out, and a fixed amount is refused as a whole', () => {
    const cart = use().cart!
    const sale = { ...cart.lines[0]!, productId: '2', isOnSale: true }
    const mixed = use({ cart: { ...cart, lines: [...cart.lines, sale] } })
    const terms = { excludesSaleItems: true }
    const fixed = coupon({ type: 'fixed', percent: null, amountMinor: 500, terms })
    expect(findCouponProblem(coupon({ terms }), mixed)).toBeNull()
    expect(findCouponProblem(coupon({ terms }), use({ cart: { ...cart, lines: [sale] } }))).toBe('sale_items')
    expect(findCouponProblem(fixed, mixed)).toBe('sale_items')
    expect(findCouponProblem(fixed, use())).toBeNull()
  })

  test('the earlier end date of ours and the store’s applies', () => {
    expect(findEnd(coupon())).toBeNull()
    expect(findEnd(coupon({ endsAt: at(5) }))).toEqual(at(5))
    expect(findEnd(coupon({ endsAt: at(5), terms: { expiresAt: at(3).toISOString() } }))).toEqual(at(3))
    expect(findEnd(coupon({ endsAt: at(2), terms: { expiresAt: at(3).toISOString() } }))).toEqual(at(2))
  })
})

describe('guard rails withhold a coupon (decision 36)', () => {
  const rails = { isFirstOrderOnly: false, pauseDays: null, aboveMinor: null }
  const facts = { now, hasBoughtBefore: false, lastUsedAt: null, valueMinor: 5_000 }
  test.each([
    [
      'from no shopper without a rule',
      rails,
      { ...facts, hasBoughtBefore: true, lastUsedAt: now, valueMinor: 1 },
      null,
    ],
    [
      'from a shopper who bought before',
      { ...rails, isFirstOrderOnly: true },
      { ...facts, hasBoughtBefore: true },
      'first_order',
    ],
    ['not from a first-time buyer', { ...rails, isFirstOrderOnly: true }, facts, null],
    [
      'from a shopper who used one within the pause',
      { ...rails, pauseDays: 90 },
      { ...facts, lastUsedAt: at(-89 * 24) },
      'pause',
    ],
    [
      'not from a shopper who used one before the pause',
      { ...rails, pauseDays: 90 },
      { ...facts, lastUsedAt: at(-90 * 24) },
      null,
    ],
    ['not from a shopper who never used one', { ...rails, pauseDays: 90 }, facts, null],
    ['for a cart of that value', { ...rails, aboveMinor: 5_000 }, facts, 'above'],
    ['not for a cart above it', { ...rails, aboveMinor: 4_999 }, facts, null],
    ['for a message without a cart', { ...rails, aboveMinor: 1 }, { ...facts, valueMinor: null }, 'above'],
  ])('%s', (_, state, known, rule) => {
    expect(findWithholdingRule(state, known)).toBe(rule)
  })
})
