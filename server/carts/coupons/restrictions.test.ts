import { describe, expect, test } from 'vitest'
import { createSecrets } from '../../core/common/secrets.ts'
import type { PlatformCoupon } from '../../platforms/platform/coupon.ts'
import { computeDiscounts } from './discount.ts'
import { buildTerms } from './rules.ts'
import { type CouponState, findCouponProblem, MIN_VALID_MS, removeRestrictions } from './validity.ts'

// Email restrictions of a coupon, checked by a copy without any address (C8).

const { addressHash } = createSecrets('a secret of at least thirty-two characters')
const hashOf = (text: string) => addressHash(text).toString('hex')

const limits = { productIds: [], excludedProductIds: [], categoryIds: [], excludedCategoryIds: [], items: null }
const termsFor = (...emails: string[]) => {
  const coupon = { isPublished: true, expiresAt: null, limits: { ...limits, emails } }
  return buildTerms(coupon as unknown as PlatformCoupon, addressHash)
}
const couponFor = (...emails: string[]): CouponState => ({
  type: 'percentage',
  platformType: 'percent',
  percent: 1_000,
  amountMinor: null,
  currency: 'USD',
  minSpendMinor: null,
  maxSpendMinor: null,
  startsAt: null,
  endsAt: null,
  usageLimit: null,
  usageCount: 0,
  isActive: true,
  goneAt: null,
  terms: termsFor(...emails),
})
const use = { now: new Date('2026-11-20T12:00:00Z'), goodForMs: MIN_VALID_MS, cart: null, usedBefore: 0 }
const isFor = (coupon: CouponState, address: string | null) =>
  findCouponProblem(coupon, { ...use, email: address === null ? null : { address, hashOf } }) === null

test.each([
  ['max.muster@example.com', ['max.muster@example.com'], ['max.mustermann@example.com', 'm@example.com']],
  [
    'max.muster*@example.com',
    ['max.muster@example.com', 'max.mustermann@example.com'],
    ['max@example.com', 'max.muster@example.org', 'erika.muster@example.com'],
  ],
  ['*muster@example.com', ['erika.muster@example.com'], ['muster@example.org', 'muster2@example.com']],
  ['max.muster*', ['max.muster@example.com', 'max.muster@example.org'], ['max@example.com']],
  ['max@*', ['max@example.com'], ['maxi@example.com']],
  ['max*max@example.com', ['max.max@example.com', 'maxmax@example.com'], ['max@example.com']],
  ['*@example.com', ['max@example.com'], ['max@example.org']],
  ['*@*.example.com', ['max@shop.example.com'], ['max@example.com']],
  ['*example.com', ['max@example.com', 'max@shop.example.com'], ['max@example.org']],
  ['*', ['max@example.com'], []],
])('%s allows the addresses that the store allows', (pattern, allowed, others) => {
  const coupon = couponFor('nobody@example.net', pattern)
  expect(allowed.filter((address) => !isFor(coupon, address))).toEqual([])
  expect(others.filter((address) => isFor(coupon, address))).toEqual([])
  expect(isFor(coupon, null)).toBe(false)
})

test('the copy contains nothing of a name, and of domains only the part after the @', () => {
  const terms = termsFor(
    ...['max.muster@example.com', 'max.muster*@example.com', 'max*muster', '*muster@example.com', '*max*muster*'],
    '*@shop.example',
  )
  expect(JSON.stringify(terms)).not.toMatch(/max|muster|example\.com/)
  expect(terms.emailDomains).toEqual(['*@shop.example'])
})

describe('several wildcards beside letters of the name', () => {
  const coupon = couponFor('*max*muster*@example.com')

  test('cannot be checked, so the coupon counts as valid and its discount as unknown', () => {
    expect([isFor(coupon, 'erika@example.org'), isFor(coupon, null)]).toEqual([true, false])
    const line = { productId: '1', variationId: null, quantity: 1, unitPriceMinor: 1_000, isOnSale: false }
    expect(computeDiscounts([line], [coupon], { currency: 'USD', decimals: 2, isSequential: false })).toEqual([null])
  })

  test('are ignored if the recipient does not matter', () => {
    for (const each of [coupon, couponFor('max*@example.com', 'max@example.com', '*@shop.example')]) {
      expect(isFor(removeRestrictions(each), null)).toBe(true)
    }
  })
})
