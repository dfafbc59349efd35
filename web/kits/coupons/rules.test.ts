import { expect, it } from 'vitest'
import type { Coupon } from '../../../shared/carts/coupons.ts'
import { buildCoupon } from '../../../test/coupon-fixtures.ts'
import {
  buildStateMarks,
  couponsAddress,
  createQuickCode,
  createQuickCoupon,
  formatCode,
  formatCoupon,
  formatDiscount,
  formatMinSpend,
  formatRemaining,
  isUsable,
} from './rules.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')
const formatInMinutes = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString()

it('shows the time left in days and hours, hours and minutes, or minutes, then Expired (B 2)', {
  tags: ['B2'],
}, () => {
  const formatAfterMinutes = (minutes: number) => formatRemaining(formatInMinutes(minutes), NOW)
  expect(formatAfterMinutes(7 * 1_440)).toBe('7 d 0 h')
  expect(formatAfterMinutes(6 * 1_440 + 23 * 60 + 59)).toBe('6 d 23 h')
  expect(formatAfterMinutes(1_439)).toBe('23 h 59 min')
  expect(formatAfterMinutes(60)).toBe('1 h 0 min')
  expect(formatAfterMinutes(59)).toBe('59 min')
  expect(formatAfterMinutes(0.1)).toBe('1 min')
  expect([formatAfterMinutes(0), formatAfterMinutes(-5)]).toEqual(['Expired', 'Expired'])
  expect(formatRemaining(null, NOW)).toBeNull()
})

it('shows that a coupon has not started or is over, by the day in the store’s time zone', () => {
  const note = (startDate: string | null, endDate: string | null, zone = 'UTC') =>
    buildStateMarks(buildCoupon({ startDate, endDate }, NOW), NOW, zone)[0]!.label
  expect(note(formatInMinutes(-60), formatInMinutes(60))).toBe('Active')
  expect(note(null, null)).toBe('Active')
  expect(note('2026-11-30T05:00:00Z', '2026-12-30T05:00:00Z')).toBe('Starts Nov 30')
  expect(note('2026-11-30T04:00:00Z', '2026-12-30T05:00:00Z', 'America/New_York')).toBe('Starts Nov 29')
  expect(note('2027-01-02T05:00:00Z', null)).toBe('Starts Jan 2, 2027')
  expect(note('2026-11-01T00:00:00Z', formatInMinutes(0))).toBe('Expired')
})

it('shows the blocker of an active coupon first, and colors Active only if shoppers can use it', {
  tags: ['B4'],
}, () => {
  const listMarks = (changes: Partial<Coupon>) =>
    buildStateMarks(buildCoupon(changes, NOW), NOW, 'UTC').map(({ kind, label }) => `${kind}: ${label}`)
  const later = '2026-11-30T05:00:00Z'
  expect(listMarks({})).toEqual(['usable: Active'])
  expect(listMarks({ endDate: formatInMinutes(0) })).toEqual(['over: Expired', 'plain: Active'])
  expect(listMarks({ usageLimit: 3, usageCount: 3 })).toEqual(['over: Used up', 'plain: Active'])
  expect(listMarks({ startDate: later })).toEqual(['starts: Starts Nov 30', 'plain: Active'])
  expect(listMarks({ usageLimit: 3, usageCount: 3, endDate: formatInMinutes(-1) })).toEqual([
    'over: Expired',
    'plain: Active',
  ])
  expect(listMarks({ isActive: false })).toEqual(['inactive: Inactive'])
  expect(listMarks({ isActive: false, endDate: formatInMinutes(-1) })).toEqual(['inactive: Inactive', 'plain: Expired'])
  expect(listMarks({ isActive: false, startDate: later })).toEqual(['inactive: Inactive', 'plain: Starts Nov 30'])
  expect(listMarks({ madeBy: 'store', startDate: later })).toEqual(['usable: Active'])
})

it('labels a coupon by its code and discount in every picker', () => {
  expect(formatCoupon(buildCoupon())).toBe('SUMMER10 · 10%')
  expect(formatCoupon(buildCoupon({ type: 'fixed', amount: 5 }))).toBe('SUMMER10 · $5.00 off')
  expect(formatCoupon(buildCoupon({ code: 'CART', kind: 'personal' }))).toBe('CART-•••••••• · 10%')
  expect(formatCoupon(buildCoupon({ type: 'other', platformType: 'fixed_product' }))).toBe('SUMMER10 · Fixed product')
})

const discount = (changes: Partial<Coupon>) =>
  formatDiscount({
    type: 'percentage',
    platformType: 'percent',
    amount: 10,
    maxDiscount: null,
    currency: 'USD',
    ...changes,
  })

it('formats the discount', { tags: ['B2'] }, () => {
  expect(discount({})).toBe('10%')
  expect(discount({ amount: 12.5 })).toBe('12.5%')
  expect(discount({ maxDiscount: 20 })).toBe('10%, at most $20.00')
  expect(discount({ type: 'fixed', amount: 5 })).toBe('$5.00 off')
  expect(discount({ type: 'fixed', amount: 500, currency: 'JPY' })).toBe('¥500 off')
  expect(discount({ type: 'other', platformType: 'fixed_product' })).toBe('Fixed product')
  expect(formatMinSpend({ minSpend: 50, currency: 'EUR' })).toBe('Minimum spend €50.00')
  expect(formatMinSpend({ minSpend: null, currency: 'EUR' })).toBeNull()
})

it('shows the pattern of personal codes, or the shared code', () => {
  expect(formatCode({ code: 'CART', kind: 'personal' })).toBe('CART-••••••••')
  expect(formatCode({ code: 'SUMMER10', kind: 'shared' })).toBe('SUMMER10')
})

it('builds Quick Create’s code from CART and six uppercase letters and digits (B 9)', { tags: ['B9'] }, () => {
  let draws = 0
  const bounds = new Set<number>()
  const codes = Array.from({ length: 200 }, () =>
    createQuickCode((bound) => {
      bounds.add(bound)
      return draws++ % bound
    }),
  )
  expect([...bounds]).toEqual([36])
  for (const code of codes) expect(code).toMatch(/^CART[A-Z0-9]{6}$/)
  expect(new Set(codes.join('').replaceAll('CART', '')).size).toBe(36)
  expect(codes[0]).toBe('CARTABCDEF')
})

it('starts a quick coupon now and ends it seven days later, active (B 9)', { tags: ['B9'] }, () => {
  expect(createQuickCoupon('CARTABCDEF', 15, NOW)).toEqual({
    code: 'CARTABCDEF',
    type: 'percentage',
    amount: 15,
    isActive: true,
    minSpend: null,
    maxDiscount: null,
    usageLimit: null,
    startDate: '2026-11-23T12:00:00.000Z',
    endDate: '2026-11-30T12:00:00.000Z',
  })
})

it('lists 50 a page unless the address sets another size', () => {
  expect(couponsAddress.read(new URLSearchParams())).toMatchObject({ page: 1, limit: 50 })
  expect(couponsAddress.read(new URLSearchParams('limit=10&search=car'))).toMatchObject({ limit: 10, search: 'car' })
  const query = couponsAddress.read(new URLSearchParams())
  expect(couponsAddress.write(query, { search: 'CART', limit: 50 }).toString()).toBe('search=CART')
  expect(couponsAddress.write(query, { limit: 10 }).toString()).toBe('limit=10')
})

it('offers no coupon that is inactive, expired, used up or not started', () => {
  const isOffered = (changes: Partial<Coupon>) => isUsable(buildCoupon(changes, NOW), NOW)
  expect([isOffered({}), isOffered({ endDate: null, usageLimit: 0 })]).toEqual([true, true])
  expect(isOffered({ startDate: formatInMinutes(60), madeBy: 'store' })).toBe(true)
  for (const changes of [
    { isActive: false },
    { endDate: formatInMinutes(-60) },
    { startDate: formatInMinutes(60) },
    { usageLimit: 3, usageCount: 3 },
  ]) {
    expect([changes, isOffered(changes)]).toEqual([changes, false])
  }
})
