import { expect, test } from 'vitest'
import type { MessageCoupon } from '../../carts/coupons/for-messages.ts'
import { type DisplayedGoods, evaluateCoupon } from './coupon-finding.ts'

// The coupon of a message about a cart in another currency than the coupon's.

const now = new Date('2026-11-23T12:00:00Z')

const cartIn = (currency: string): DisplayedGoods => ({
  lines: [{ productId: '1', variationId: null, quantity: 1, unitPriceMinor: 10_000, isOnSale: false }],
  displayed: [10_000],
  displayedMinor: 10_000,
  currency,
  isUnknown: false,
  rules: { currency, decimals: null, isSequential: false },
})

const tenPercent: MessageCoupon = {
  state: {
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
  },
  isPersonal: false,
  wording: '',
  code: 'SAVE10',
  validHours: 72,
  maxDiscountMinor: null,
  isOfCart: false,
  personal: null,
  usedBefore: 0,
  lastUsedAt: null,
}

function findingFor(currency: string, coupon: Partial<MessageCoupon>, aboveMinor: number | null = null) {
  const settings = { id: 'c', fallback: 'without', isFirstOrderOnly: false, pauseDays: null, aboveMinor } as const
  return evaluateCoupon(
    settings,
    { ...tenPercent, ...coupon },
    {
      now,
      cart: cartIn(currency),
      cartVersion: 1,
      hasBoughtBefore: false,
      email: null,
      isImagined: false,
      unread: null,
    },
  )
}

test('a minimum cart value is compared only in its own currency', () => {
  expect(findingFor('USD', {}, 5_000)).toMatchObject({ outcome: 'included' })
  expect(findingFor('JPY', {}, 5_000)).toMatchObject({ outcome: 'left_out', reason: 'coupon_withheld:above' })
  expect(findingFor('JPY', {})).toMatchObject({ outcome: 'included' })
})

test('a capped percentage is left out for a cart in another currency', () => {
  const capped = { isPersonal: true, maxDiscountMinor: 2_000, isOfCart: true }
  expect(findingFor('USD', capped)).toMatchObject({ outcome: 'waiting', reason: 'coupon_pending' })
  expect(findingFor('JPY', capped)).toMatchObject({ outcome: 'left_out', reason: 'coupon_invalid:currency' })
})
