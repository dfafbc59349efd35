import { expect, it } from 'vitest'
import { buildStatus } from '../../../screens/billing-answers.ts'
import type { Meter } from '../../../shared/billing/billing.ts'
import { describeHeld, describeStores, describeUsage, listPlanNotes } from './plan-copy.ts'

it('describes usage of a limit, without a limit, and of features outside the plan', () => {
  const texts = [
    [1_234, 5_000],
    [20_400, -1],
    [0, 0],
    [7, 0],
  ].map(([used, limit]) => describeUsage({ used: used!, limit: limit! }))
  expect(texts).toEqual([
    '1,234 of 5,000 used',
    '20,400 used, no limit',
    'Not in this plan',
    '7 used, none in this plan',
  ])
  expect([describeStores({ used: 1, limit: 3 }), describeStores({ used: 4, limit: -1 })]).toEqual([
    '1 of 3 connected',
    '4 connected, no limit',
  ])
})

it('describes held and expiring messages of a limit, with the renewal day in UTC', () => {
  const describeMeter = (changes: Partial<Meter>) =>
    describeHeld(
      { channel: 'sms', used: 100, limit: 100, held: 0, expiring: 0, level: 'full', ...changes },
      '2026-12-01T00:00:00.000Z',
    )
  expect(describeMeter({})).toBeNull()
  expect(describeMeter({ held: 1 })).toBe('1 message held until Dec 1, 2026.')
  expect(describeMeter({ held: 14, expiring: 3 })).toBe(
    '14 messages held until Dec 1, 2026. 3 of these will expire before then.',
  )
  expect(describeMeter({ held: 2, expiring: 2, limit: 0 })).toBe(
    '2 messages held. All of these will expire before Dec 1, 2026.',
  )
})

const NOON = '2026-12-06T12:00:00.000Z'

it.each([
  [{}, ['Renews on Dec 6, 2026.']],
  [{ nextBillingDate: null }, []],
  [{ status: 'trialing', trialEndsAt: NOON }, ['Trial until Dec 6, 2026.']],
  [
    { status: 'trialing', trialEndsAt: NOON, cancelAtPeriodEnd: true },
    ['Trial until Dec 6, 2026.', 'Ends on Dec 6, 2026, then Lite.'],
  ],
  [{ cancelAtPeriodEnd: true }, ['Ends on Dec 6, 2026, then Lite.']],
  [{ cancelAtPeriodEnd: true, currentPeriodEnd: null }, ['Ends after the billing period, then Lite.']],
  [{ change: { plan: 'starter', cycle: 'month', at: NOON } }, ['Changes to Starter on Dec 6, 2026.']],
  [{ status: 'past_due', graceUntil: NOON }, ['A payment is overdue. Messages are sent until Dec 6, 2026.']],
  [
    { status: 'past_due', graceUntil: NOON, hasActiveSubscription: false },
    ['A payment is overdue. Messages are held until it is paid.'],
  ],
  [{ status: 'canceled' }, ['The plan was canceled. The limits of Lite apply.']],
  [
    { suspension: { reason: 'Complaints.', since: NOON }, nextBillingDate: null },
    ['Sending is suspended: Complaints.'],
  ],
] as const)('announces the next change of a subscription: %o', (fields, notes) => {
  expect(listPlanNotes(buildStatus({ nextBillingDate: NOON, currentPeriodEnd: NOON, ...fields }))).toEqual(notes)
})
