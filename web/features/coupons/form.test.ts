import { expect, it } from 'vitest'
import { type Coupon, CouponInput, couponTexts } from '../../../shared/carts/coupons.ts'
import {
  type CouponValues,
  checkCoupon,
  createValues,
  describeInactive,
  explainNoCap,
  toCouponInput,
  toValues,
  warnIfPast,
} from './form.ts'

const where = { currency: 'USD', zone: 'Europe/Berlin' }
const NOW = Date.parse('2026-10-24T07:00:30Z')
const right: CouponValues = { ...createValues(NOW, where.zone), code: 'SUMMER10', amount: 10 }
const findProblems = (changes: Partial<CouponValues>) => checkCoupon({ ...right, ...changes }, where)

const wrong: [field: keyof CouponValues, given: Partial<CouponValues>, text: string][] = [
  ['code', { code: ' ' }, couponTexts.noCode],
  ['code', { code: 'SUMMER 10' }, couponTexts.badCode],
  ['code', { code: 'SOMMER_Ü' }, couponTexts.badCode],
  ['amount', { amount: '' }, couponTexts.noAmount],
  ['amount', { amount: 0.5 }, couponTexts.badPercentage],
  ['amount', { amount: 101 }, couponTexts.badPercentage],
  ['amount', { amount: '-' }, couponTexts.badPercentage],
  ['amount', { type: 'fixed', amount: 0 }, couponTexts.badFixed],
  ['amount', { type: 'fixed', amount: 1.234 }, 'Enter an amount with at most 2 decimals'],
  ['amount', { amount: 10.555 }, 'Enter an amount with at most 2 decimals'],
  ['amount', { type: 'fixed', amount: 2e9 }, 'Amount must be at most 1,000,000,000'],
  ['code', { code: 'A'.repeat(61) }, 'Coupon code can have at most 60 characters'],
  ['minSpend', { minSpend: 2e9 }, 'Minimum spend must be at most 1,000,000,000'],
  ['maxDiscount', { kind: 'personal', maxDiscount: 2e9 }, 'Maximum discount must be at most 1,000,000,000'],
  ['maxDiscount', { kind: 'shared', maxDiscount: 5 }, couponTexts.sharedCap],
  ['usageLimit', { usageLimit: 2e9 }, 'Usage limit must be at most 1,000,000,000'],
  ['minSpend', { minSpend: 0 }, couponTexts.badMinSpend],
  ['maxDiscount', { kind: 'personal', maxDiscount: -1 }, couponTexts.badMaxDiscount],
  ['startDate', { startDate: '' }, couponTexts.noStart],
  ['endDate', { endDate: '' }, couponTexts.noEnd],
  ['endDate', { endDate: '2026-10-24T09:00' }, couponTexts.endBeforeStart],
  ['endDate', { endDate: '2026-10-20T09:00' }, couponTexts.endBeforeStart],
  ['usageLimit', { usageLimit: 0 }, couponTexts.badUsageLimit],
  ['usageLimit', { usageLimit: 1.5 }, couponTexts.partOfAUse],
  ['validHours', { kind: 'personal', validHours: 0 }, 'Enter a whole number of hours between 1 and 8,760'],
]

it.each(wrong)('shows the error at the field %s: %o', { tags: ['B5'] }, (field, values, text) => {
  expect(findProblems(values)).toEqual({ [field]: text })
})

it('shows all errors at once', () => {
  const values = { code: '', amount: '', minSpend: -1, startDate: '', endDate: '', usageLimit: -1 } as const
  expect(Object.keys(findProblems(values)).sort()).toEqual([
    'amount',
    'code',
    'endDate',
    'minSpend',
    'startDate',
    'usageLimit',
  ])
})

it('accepts each form the server accepts', () => {
  const values: Partial<CouponValues>[] = [
    {},
    { amount: 100, usageLimit: 1, minSpend: 0.01 },
    { type: 'fixed', amount: 0.01 },
    { kind: 'personal', maxDiscount: 20, validHours: 1, isTiedToEmail: true },
    // The field is hidden, so its value is ignored.
    { kind: 'shared', type: 'fixed', maxDiscount: -5, validHours: '' },
    { kind: 'personal', usageLimit: -5 },
  ]
  for (const each of values) {
    expect(findProblems(each)).toEqual({})
    expect(CouponInput.safeParse(toCouponInput({ ...right, ...each }, where.zone, null)).error).toBeUndefined()
  }
})

it('allows a maximum discount only for a percentage of personal codes (decision 33)', () => {
  expect(explainNoCap({ kind: 'shared', type: 'percentage' })).toBe(couponTexts.sharedCap)
  expect(explainNoCap({ kind: 'personal', type: 'fixed' })).toBe(couponTexts.fixedCap)
  expect(explainNoCap({ kind: 'personal', type: 'percentage' })).toBeNull()
  expect(toCouponInput({ ...right, maxDiscount: 20 }, where.zone, null).maxDiscount).toBeNull()
})

it('warns about a past end, in the store’s time zone', () => {
  const now = Date.parse('2026-10-24T07:00:00Z')
  expect(warnIfPast('2026-10-24T09:00', where.zone, now)).toBe(
    'This end date has passed, so the coupon can’t be used. Choose a later date.',
  )
  expect(warnIfPast('2026-10-24T09:01', where.zone, now)).toBeNull()
  expect(warnIfPast('', where.zone, now)).toBeNull()
})

it('states for an inactive coupon: personal codes already sent stay valid for their hours', () => {
  expect(describeInactive('shared')).toContain('can’t be used')
  expect(describeInactive('personal')).toContain('Sent codes still work')
})

it('parses dates in the store’s time zone, across a clock change', () => {
  expect([right.startDate, right.endDate]).toEqual(['2026-10-24T09:00', '2026-10-31T09:00'])
  const { startDate, endDate } = toCouponInput(right, where.zone, null)
  expect([startDate, endDate]).toEqual(['2026-10-24T07:00:00.000Z', '2026-10-31T08:00:00.000Z'])
})

it('keeps the seconds of an unchanged date', () => {
  const coupon = { startDate: '2026-10-24T07:00:30Z', endDate: '2026-10-31T07:00:30Z', amount: 10 } as Coupon
  const values = { ...right, ...toValues({ ...coupon, kind: 'shared', type: 'percentage' } as Coupon, where.zone) }
  const sent = toCouponInput({ ...values, code: 'A', endDate: '2026-11-01T08:00' }, where.zone, coupon)
  expect([sent.startDate, sent.endDate]).toEqual(['2026-10-24T07:00:30Z', '2026-11-01T07:00:00.000Z'])
})
