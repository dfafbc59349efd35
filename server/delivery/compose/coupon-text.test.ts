import { expect, test } from 'vitest'
import { presentCoupon } from './coupon-text.ts'

const coupon = {
  code: 'CART10',
  percent: 1_000,
  amountMinor: null,
  currency: 'USD',
  isFreeShipping: false,
  minSpendMinor: null,
  expiresAt: null,
  totalMinor: 4_500,
}
const cart = { valueMinor: 5_000, currency: 'USD', timeZone: 'America/New_York', locale: 'en-US' }

test('a coupon shows percentage or amount, saving and total (decision 37)', () => {
  const values = {
    code: 'CART10',
    isFreeShipping: false,
    minimum: null,
    expires: null,
    saving: '$5.00',
    total: '$45.00',
  }
  expect(presentCoupon(coupon, cart)).toEqual({ ...values, amount: '10%', offer: '10% off' })
  expect(presentCoupon({ ...coupon, percent: 1_250 }, cart).amount).toBe('12.5%')
  expect(presentCoupon({ ...coupon, percent: null, amountMinor: 500 }, cart)).toEqual({
    ...values,
    amount: '$5.00',
    offer: '$5.00 off',
  })
})

test('a coupon without a discount on goods has no amount but a fitting phrase', () => {
  const other = { ...coupon, percent: null, amountMinor: 0, totalMinor: null }
  expect(presentCoupon({ ...other, isFreeShipping: true }, cart)).toMatchObject({ amount: '', offer: 'free shipping' })
  expect(presentCoupon(other, cart)).toMatchObject({ amount: '', offer: 'a discount' })
  expect(presentCoupon({ ...other, isFreeShipping: true }, { ...cart, locale: 'de-DE' }).offer).toBe(
    'kostenloser Versand',
  )
})

test('a minimum spend is shown in the coupon’s currency', () => {
  expect(presentCoupon({ ...coupon, minSpendMinor: 2_500 }, cart).minimum).toBe('$25.00')
})

test('no saving is shown without a cart or when it is unknown', () => {
  expect(presentCoupon(coupon, { ...cart, currency: null })).toMatchObject({ saving: null, total: null })
  expect(presentCoupon({ ...coupon, totalMinor: null }, cart)).toMatchObject({ saving: null, total: null })
})

test.each([
  ['2026-12-01T05:00:00Z', 'November 30, 2026'],
  ['2026-12-01T04:59:59Z', 'November 30, 2026'],
  ['2026-11-30T15:30:00Z', 'November 30, 2026, 10:30 AM EST'],
  ['2026-11-30T17:00:00Z', 'November 30, 2026, 12:00 PM EST'],
  ['2026-07-15T17:00:00Z', 'July 15, 2026, 1:00 PM EDT'],
])('a coupon that ends at %s shows %s in the store’s zone', (end, values) => {
  expect(presentCoupon({ ...coupon, expiresAt: new Date(end) }, cart).expires).toBe(values)
})

test('a zone without a short English name is shown by its offset', () => {
  const berlin = { ...cart, timeZone: 'Europe/Berlin' }
  const expiresAt = new Date('2026-11-30T15:30:00Z')
  expect(presentCoupon({ ...coupon, expiresAt }, berlin).expires).toBe('November 30, 2026, 4:30 PM GMT+1')
})
