import { describe, expect, it } from 'vitest'
import { buildStatus } from '../../../screens/billing-answers.ts'
import type { BillingCycle, PlanKey } from '../../../shared/billing/billing.ts'
import { pricingQuestions } from './PricingPage.tsx'
import {
  buildChoiceAddress,
  buildOrder,
  describeToday,
  findOffer,
  findPaidEnd,
  isAtStripe,
  readChoice,
} from './pricing-rules.ts'

const AT = '2027-01-05T12:00:00.000Z'
const kinds = (changes: Parameters<typeof buildStatus>[0], cycle: BillingCycle = 'month') =>
  (['free', 'starter', 'growth'] as PlanKey[]).map((key) => findOffer(buildStatus(changes), key, cycle).kind)

describe('offers the account’s possible actions on each plan’s card', () => {
  it.each([
    ['nobody’s plan yet', { plan: null }, ['free', 'buy', 'buy']],
    ['Lite', { plan: 'free' }, ['current', 'buy', 'buy']],
    ['one that is paid at Stripe', { plan: 'starter' }, ['free', 'current', 'change']],
    ['a trial', { plan: 'growth', status: 'trialing' }, ['free', 'change', 'current']],
    ['an overdue one', { plan: 'growth', status: 'past_due' }, ['free', 'change', 'current']],
    ['one that was charged back', { plan: 'growth', status: 'canceled', planInForce: 'free' }, ['free', 'buy', 'buy']],
    ['one that ends', { plan: 'growth', cancelAtPeriodEnd: true }, ['waits', 'ends', 'ends']],
    ['one the operator set', { plan: 'growth', source: 'operator' }, ['free', 'buy', 'current']],
    ['one of test billing', { plan: 'starter', source: 'test', sells: 'test' }, ['free', 'current', 'buy']],
    [
      'one that becomes smaller',
      { plan: 'growth', change: { plan: 'starter', cycle: 'month', at: AT } },
      ['free', 'waits', 'current'],
    ],
  ] as const)('to %s', { tags: ['A2.6'] }, (_, subscription, offers) => {
    expect(kinds(subscription as Parameters<typeof buildStatus>[0])).toEqual(offers)
  })

  it('links an account with a Stripe subscription to its change, for the selected period', () => {
    expect(findOffer(buildStatus({ plan: 'starter' }), 'growth', 'year')).toEqual({
      kind: 'change',
      to: '/billing?change=growth&cycle=year',
    })
    expect(findOffer(buildStatus({ plan: 'starter' }), 'starter', 'year')).toMatchObject({
      changeTo: '/billing?change=starter&cycle=year',
    })
    expect(findOffer(buildStatus({ plan: 'starter', source: 'operator' }), 'starter', 'year')).toMatchObject({
      changeTo: null,
    })
    expect(isAtStripe(buildStatus({ plan: 'free', source: 'stripe' }))).toBe(false)
  })

  it('states when the subscription starts', () => {
    const waiting = buildStatus({ change: { plan: 'starter', cycle: 'month', at: AT } })
    expect(findOffer(waiting, 'starter', 'month')).toMatchObject({
      text: 'Your account changes to Starter on Jan 5, 2027.',
    })
    const ending = buildStatus({ cancelAtPeriodEnd: true, currentPeriodEnd: AT })
    expect(findOffer(ending, 'growth', 'month')).toEqual({
      kind: 'ends',
      text: 'This is your current plan. It ends on Jan 5, 2027.',
    })
    expect(findOffer(ending, 'starter', 'month')).toEqual({
      kind: 'ends',
      text: 'Your subscription ends after the billing period. Reactivate it first to change it.',
    })
    expect(findPaidEnd(buildStatus({ status: 'trialing', trialEndsAt: AT, cancelAtPeriodEnd: true }))).toBe(AT)
    expect(findPaidEnd(buildStatus({ currentPeriodEnd: null }))).toBeNull()
  })
})

it('reads only the choice from the address, and ignores a free plan there (decision 122)', {
  tags: ['A4.3'],
}, () => {
  const read = (search: string) => readChoice(new URLSearchParams(search))
  expect(read('plan=growth&cycle=year&stores=3')).toEqual({ plan: 'growth', cycle: 'year', extraStores: 3 })
  expect(read('plan=starter')).toEqual({ plan: 'starter', cycle: 'month', extraStores: 0 })
  expect(['plan=free', 'plan=Growth', 'plan=enterprise', ''].map(read)).toEqual([null, null, null, null])
  expect(['-1', '21', '1.5', 'x'].map((stores) => read(`plan=growth&stores=${stores}`)?.extraStores)).toEqual([
    0, 0, 0, 0,
  ])
  expect(read('plan=growth&cycle=week')?.cycle).toBe('month')
  expect(buildChoiceAddress({ plan: 'growth', cycle: 'year', extraStores: 3 })).toBe(
    '/pricing?plan=growth&cycle=year&stores=3',
  )
  expect(buildChoiceAddress({ plan: 'growth', cycle: 'month', extraStores: 0 })).toBe(
    '/pricing?plan=growth&cycle=month',
  )
})

it('adds up plan and extra stores, monthly and yearly', { tags: ['A9'] }, () => {
  expect(buildOrder({ plan: 'starter', cycle: 'month', extraStores: 0 })).toEqual({
    lines: [{ label: 'Starter, monthly', amount: 1_900 }],
    total: 1_900,
  })
  expect(buildOrder({ plan: 'growth', cycle: 'year', extraStores: 2 })).toEqual({
    lines: [
      { label: 'Growth, yearly', amount: 46_800 },
      { label: '2 extra stores', amount: 24_000 },
    ],
    total: 70_800,
  })
})

it('charges nothing today in a trial or in test mode, otherwise the whole period', () => {
  expect(describeToday(4_900, 'month', 'trial')).toMatchObject({ dueNow: 0 })
  expect(describeToday(4_900, 'month', 'trial').notes[0]).toContain('14 days free, then $49.00 a month')
  expect(describeToday(70_800, 'year', 'paid')).toMatchObject({ dueNow: 70_800 })
  expect(describeToday(70_800, 'year', 'paid').notes[1]).toBe('It renews at $708.00 a year until you cancel.')
  expect(describeToday(4_900, 'month', 'test')).toEqual({
    dueNow: 0,
    notes: ['This server is in billing test mode: nothing is charged.'],
  })
})

it('states the figures of the rules in the FAQ and promises no credits', () => {
  const text = pricingQuestions.map(({ answer }) => answer).join(' ')
  expect(text).toMatch(/14 days free.*30-day money-back guarantee.*7 days.*20 percent.*\$120 per year/)
  expect(text).not.toMatch(/credits/i)
})
