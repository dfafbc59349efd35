import { expect, test } from 'vitest'
import { draftOf, expiredAt, isWithheld, type Wanted } from './rules.ts'

const now = new Date('2026-03-02T15:00:00.000Z')
const wanted = {
  ...{
    code: 'SPRING',
    type: 'percentage',
    percent: 1_000,
    amount_minor: null,
    min_spend_minor: null,
    usage_limit: null,
  },
  ...{
    is_active: true,
    starts_at: new Date('2026-03-10T00:00:00.000Z'),
    ends_at: new Date('2026-03-20T00:00:00.000Z'),
  },
} as Wanted
const draft = (hasStart: boolean, change: Partial<Wanted> = {}) =>
  draftOf({ ...wanted, ...change }, { currency: 'USD', now, hasStart })

test('a store that knows a start is told it; for any other the coupon is withheld until then (decision 32)', () => {
  expect(draft(true)).toMatchObject({ startsAt: '2026-03-10T00:00:00.000Z', expiresAt: '2026-03-20T00:00:00.000Z' })
  expect(draft(false)).toMatchObject({ expiresAt: expiredAt(now) })
  expect(draft(false).startsAt).toBeUndefined()
  expect([isWithheld(wanted, now, true), isWithheld(wanted, now, false)]).toEqual([false, true])
})

test('one that is switched off is withheld everywhere', () => {
  expect(draft(true, { is_active: false })).toMatchObject({ expiresAt: expiredAt(now) })
  expect(draft(true, { is_active: false }).startsAt).toBeUndefined()
})
