import { expect, test } from 'vitest'
import { buildDraft, type CouponValues, computeExpiredEnd, isWithheld } from './rules.ts'

const now = new Date('2026-03-02T15:00:00.000Z')
const input = {
  code: 'SPRING',
  type: 'percentage',
  percent: 1_000,
  amount_minor: null,
  min_spend_minor: null,
  usage_limit: null,
  is_active: true,
  starts_at: new Date('2026-03-10T00:00:00.000Z'),
  ends_at: new Date('2026-03-20T00:00:00.000Z'),
} as CouponValues
const draft = (hasStart: boolean, change: Partial<CouponValues> = {}) =>
  buildDraft({ ...input, ...change }, { currency: 'USD', now, hasStart })

test('a store with start dates gets the start, and in other stores the coupon is withheld until then (decision 32)', () => {
  expect(draft(true)).toMatchObject({ startsAt: '2026-03-10T00:00:00.000Z', expiresAt: '2026-03-20T00:00:00.000Z' })
  expect(draft(false)).toMatchObject({ expiresAt: computeExpiredEnd(now) })
  expect(draft(false).startsAt).toBeUndefined()
  expect([isWithheld(input, now, true), isWithheld(input, now, false)]).toEqual([false, true])
})

test('an inactive coupon is withheld everywhere', () => {
  expect(draft(true, { is_active: false })).toMatchObject({ expiresAt: computeExpiredEnd(now) })
  expect(draft(true, { is_active: false }).startsAt).toBeUndefined()
})
