import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findEntry } from './catalogue-rules.ts'
import {
  type DerivedRow,
  type DerivedSubscription,
  deriveSubscription,
  findCounted,
  isLive,
  type StripeObjects,
} from './derive-rules.ts'
import type { StripeInvoice, StripeSchedule, StripeSubscription } from './stripe-schemas.ts'

// Decision 83: the row derived from Stripe's objects.

const CREATED = 1_772_445_600
const DAY = 86_400
const PERIOD = { current_period_start: CREATED, current_period_end: CREATED + 30 * DAY }
const at = (days: number) => new Date((CREATED + days * DAY) * 1000)

const price = (key: string | null, unit_amount: number | null = 1_900, metadata: Record<string, string> = {}) => ({
  id: `price_${key}`,
  lookup_key: key && `recoup_${key}`,
  metadata,
  unit_amount,
})
const item = (key: string | null, unit?: number | null, quantity = 1) => ({
  price: price(key, unit),
  quantity,
  ...PERIOD,
})

const subscription = (overrides: Partial<StripeSubscription> = {}): StripeSubscription => ({
  id: 'sub_1',
  status: 'active',
  created: CREATED,
  currency: 'usd',
  items: [item('starter_month')],
  trial_end: null,
  cancel_at: null,
  cancel_at_period_end: false,
  default_payment_method: null,
  schedule: null,
  metadata: {},
  ...overrides,
})

const invoice = (
  overrides: Partial<StripeInvoice> & { of?: string; finalized?: number; paid?: number } = {},
): StripeInvoice => {
  const { of = 'sub_1', finalized = CREATED, paid, ...rest } = overrides
  return {
    id: 'in_1',
    status: 'open',
    created: CREATED,
    number: 'A-1',
    currency: 'usd',
    amount_due: 1_900,
    amount_paid: 0,
    billing_reason: 'subscription_cycle',
    description: null,
    next_payment_attempt: null,
    lines: [],
    parent: { subscription_details: { subscription: of } },
    status_transitions: { finalized_at: finalized, paid_at: paid ?? null },
    ...rest,
  }
}

const phase = (start: number, end: number, keys: string[] = []) => ({
  start_date: CREATED + start * DAY,
  end_date: CREATED + end * DAY,
  items: keys.map((key) => ({ price: price(key), quantity: key.startsWith('extra') ? 4 : 1 })),
})
const schedule = (overrides: Partial<StripeSchedule>): StripeSchedule => ({
  id: 'sub_sched_1',
  status: 'active',
  end_behavior: 'release',
  current_phase: { start_date: CREATED, end_date: CREATED + 30 * DAY },
  phases: [phase(0, 30, ['growth_month'])],
  ...overrides,
})

const from = (subscriptions: StripeSubscription[], rest: Partial<StripeObjects> = {}): DerivedSubscription =>
  deriveSubscription({ subscriptions, invoices: [], schedule: null, hasCard: false, ...rest }, findEntry)
const getRow = (overrides: Partial<StripeSubscription> = {}, rest: Partial<StripeObjects> = {}): DerivedRow =>
  from([subscription(overrides)], rest).row!

describe('each Stripe status', () => {
  it.each([
    ['active', { plan: 'starter', status: 'active', pastDueSince: null }],
    ['trialing', { plan: 'starter', status: 'trialing', pastDueSince: null }],
    ['past_due', { plan: 'starter', status: 'past_due', pastDueSince: at(0) }],
    ['unpaid', { plan: 'starter', status: 'past_due', pastDueSince: new Date(0) }],
    ['paused', { plan: 'free', status: 'active', pastDueSince: null }],
    ['canceled', { plan: 'free', status: 'active', pastDueSince: null }],
    ['incomplete_expired', { plan: 'free', status: 'active', pastDueSince: null }],
  ])('%s', (status, row) => {
    expect(from([subscription({ status })])).toMatchObject({ row, problems: [] })
  })

  it('incomplete: keeps the stored row', () => {
    expect(from([subscription({ status: 'incomplete' })])).toEqual({ row: null, problems: [] })
    const older = subscription({ id: 'sub_0', created: CREATED - 9 })
    expect(from([subscription({ status: 'incomplete' }), older]).row!.stripeSubscriptionId).toBe('sub_0')
    expect(from([]).row).toBeNull()
  })

  it('an unknown status changes nothing and is reported', () => {
    expect(from([subscription({ status: 'hibernating' })])).toEqual({
      row: null,
      problems: [{ kind: 'unknown_status', ids: ['sub_1'] }],
    })
  })

  it.each(['chargeback', 'operator'])('canceled by %s is canceled and keeps its plan', (recoup_ended) => {
    const row = getRow({ status: 'canceled', metadata: { recoup_ended } })
    expect(row).toMatchObject({ plan: 'starter', status: 'canceled', amountMinor: null, nextBillingAt: null })
    // With an unknown price there is no plan to cancel.
    const strange = { status: 'canceled', metadata: { recoup_ended }, items: [item('gold_month')] }
    expect(getRow(strange)).toMatchObject({ plan: 'free', status: 'active' })
  })

  it('another reason in the metadata, or one on a live subscription, is ignored', () => {
    expect(getRow({ status: 'canceled', metadata: { recoup_ended: 'mistake' } }).status).toBe('active')
    expect(getRow({ metadata: { recoup_ended: 'chargeback' } })).toMatchObject({ plan: 'starter', status: 'active' })
  })
})

describe('several subscriptions', () => {
  const older = subscription({ id: 'sub_a', items: [item('growth_month')] })
  const newer = subscription({ id: 'sub_b', created: CREATED + 1 })

  it('the newest of two live ones counts, and the problem is reported', () => {
    for (const both of [
      [older, newer],
      [newer, older],
    ]) {
      const { row, problems } = from(both)
      expect(row!.stripeSubscriptionId).toBe('sub_b')
      expect(problems).toEqual([{ kind: 'two_subscriptions', ids: ['sub_a', 'sub_b'] }])
    }
  })

  it('a live one counts before a newer ended one', () => {
    for (const status of ['canceled', 'paused', 'incomplete', 'incomplete_expired']) {
      expect(from([older, { ...newer, status }])).toMatchObject({ row: { plan: 'growth' }, problems: [] })
    }
  })

  it('an unpaid checkout does not hide why the last one ended', () => {
    const revoked = { ...older, status: 'canceled', metadata: { recoup_ended: 'chargeback' } }
    const expired = { ...newer, status: 'incomplete_expired' }
    expect(from([expired, revoked]).row).toMatchObject({ plan: 'growth', status: 'canceled' })
    expect(from([revoked, { ...newer, status: 'canceled' }]).row).toMatchObject({ plan: 'free', status: 'active' })
  })
})

describe('plan, cycle and extra stores', () => {
  it('come from the prices', () => {
    const items = [item('extra_store_year', 12_000, 3), item('growth_year', 46_800)]
    expect(getRow({ items })).toMatchObject({
      plan: 'growth',
      cycle: 'year',
      extraStores: 3,
      amountMinor: 82_800,
      currency: 'USD',
    })
    const moved = { ...item(null, 1_500), price: price(null, 1_500, { recoup: 'recoup_starter_month' }) }
    expect(getRow({ items: [moved] })).toMatchObject({ plan: 'starter', cycle: 'month', amountMinor: 1_500 })
  })

  it('items added by an operator change the amount, not the plan', () => {
    const { row, problems } = from([subscription({ items: [item('starter_month'), item(null, 25_000)] })])
    expect([row!.plan, row!.amountMinor, problems]).toEqual(['starter', 26_900, []])
    expect(getRow({ items: [item('starter_month'), item('tiered', null)] }).amountMinor).toBeNull()
  })

  it.each([
    ['no price of ours', [item('gold_month')]],
    ['two plans', [item('starter_month'), item('growth_month')]],
    ['an extra store alone', [item('extra_store_month')]],
    ['nothing', []],
  ])('%s: changes nothing and is reported', (_, items) => {
    const result = from([subscription({ items })])
    expect(result).toEqual({ row: null, problems: [{ kind: 'unknown_price', ids: ['sub_1'] }] })
    // The price of an ended one is irrelevant.
    expect(from([subscription({ items, status: 'canceled' })])).toMatchObject({ row: { plan: 'free' }, problems: [] })
  })

  it('more stores than are sold are limited to the maximum', () => {
    const { row, problems } = from([subscription({ items: [item('starter_month'), item('extra_store_month', 1, 21)] })])
    expect([row!.extraStores, problems]).toEqual([20, [{ kind: 'too_many_stores', ids: ['sub_1'] }]])
  })
})

describe('dates', () => {
  it('the period ends with that of the items, and is billed then', () => {
    expect(getRow()).toMatchObject({ currentPeriodEnd: at(30), nextBillingAt: at(30), cancelAtPeriodEnd: false })
  })

  it.each([
    ['cancel_at_period_end', { cancel_at_period_end: true }, true],
    ['cancel_at with the period', { cancel_at: CREATED + 30 * DAY }, true],
    ['cancel_at within the period', { cancel_at: CREATED + 9 * DAY }, true],
    ['cancel_at after the next period', { cancel_at: CREATED + 60 * DAY }, false],
  ])('%s', (_, overrides, ends) => {
    expect(getRow(overrides)).toMatchObject({ cancelAtPeriodEnd: ends, nextBillingAt: ends ? null : at(30) })
  })

  it('a trial has an end date while it runs', () => {
    const trial_end = CREATED + 14 * DAY
    expect(getRow({ status: 'trialing', trial_end }).trialEndsAt).toEqual(at(14))
    expect(getRow({ trial_end }).trialEndsAt).toBeNull()
  })

  it('past due starts with the subscription’s oldest open invoice', () => {
    const invoices = [
      invoice({ id: 'in_3', finalized: CREATED + 5 * DAY }),
      invoice({ id: 'in_2', finalized: CREATED + 2 * DAY }),
      invoice({ id: 'in_1', finalized: CREATED + DAY, status: 'paid' }),
      invoice({ id: 'in_0', finalized: CREATED, of: 'sub_other' }),
    ]
    expect(getRow({ status: 'past_due' }, { invoices }).pastDueSince).toEqual(at(2))
    expect(getRow({ status: 'past_due' }, { invoices: [] }).pastDueSince).toEqual(at(0))
    expect(getRow({ status: 'active' }, { invoices }).pastDueSince).toBeNull()
  })

  it('the last payment is the newest invoice paid with money', () => {
    const invoices = [
      invoice({ id: 'in_1', status: 'paid', amount_paid: 1_900, paid: CREATED }),
      invoice({ id: 'in_2', status: 'paid', amount_paid: 1_900, paid: CREATED + 3 * DAY }),
      invoice({ id: 'in_3', status: 'paid', amount_paid: 0, paid: CREATED + 4 * DAY }),
    ]
    expect(getRow({}, { invoices }).lastPaymentAt).toEqual(at(3))
    expect(getRow({ status: 'canceled' }, { invoices }).lastPaymentAt).toEqual(at(3))
    expect(getRow().lastPaymentAt).toBeNull()
  })

  it('the card is the subscription’s or the customer’s', () => {
    expect([getRow().hasCard, getRow({ default_payment_method: 'pm_1' }).hasCard]).toEqual([false, true])
    expect(getRow({}, { hasCard: true }).hasCard).toBe(true)
  })
})

describe('changes at the end of the period', () => {
  const growth = { items: [item('growth_month')], schedule: 'sub_sched_1' }
  const next = (overrides: Partial<StripeSchedule>, of: Partial<StripeSubscription> = growth) =>
    from([subscription(of)], { schedule: schedule(overrides) })

  it('come from the schedule’s second phase', () => {
    const phases = [phase(30, 60, ['starter_month', 'extra_store_month']), phase(0, 30, ['growth_month'])]
    const { row } = next({ phases: [...phases, phase(60, 90, ['growth_month'])] })
    expect(row!.next).toEqual({ plan: 'starter', cycle: 'month', extraStores: 4, at: at(30) })
    expect(row).toMatchObject({ plan: 'growth', stripeScheduleId: 'sub_sched_1', cancelAtPeriodEnd: false })
  })

  it.each([
    ['no second phase', {}],
    ['a second phase equal to the first', { phases: [phase(0, 30), phase(30, 60, ['growth_month'])] }],
    ['a released schedule', { status: 'released', phases: [phase(0, 30), phase(30, 60, ['starter_month'])] }],
    ['no current phase', { current_phase: null, phases: [phase(30, 60, ['starter_month'])] }],
  ])('are none with %s', (_, overrides) => {
    expect(next(overrides)).toMatchObject({
      row: { plan: 'growth', next: null, cancelAtPeriodEnd: false },
      problems: [],
    })
  })

  it('are none if the subscription ends', () => {
    const phases = [phase(0, 30, ['growth_month']), phase(30, 60, ['starter_month'])]
    expect(next({ phases }, { ...growth, cancel_at_period_end: true }).row).toMatchObject({ next: null })
    expect(next({ end_behavior: 'cancel' }).row).toMatchObject({ next: null, cancelAtPeriodEnd: true })
    expect(next({ end_behavior: 'cancel', phases }).row).toMatchObject({ cancelAtPeriodEnd: false })
  })

  it('are reported if the price is not ours, and the current plan stays right', () => {
    const result = next({ phases: [phase(0, 30), phase(30, 60, ['gold_month'])] })
    expect(result).toMatchObject({ row: { plan: 'growth', next: null }, problems: [{ kind: 'unknown_price' }] })
  })
})

const STATUSES = ['active', 'trialing', 'past_due', 'unpaid', 'paused', 'canceled', 'incomplete', 'incomplete_expired']
const anySubscription = fc
  .record({
    status: fc.constantFrom(...STATUSES, 'unheard_of'),
    created: fc.integer({ min: CREATED, max: CREATED + 3 }),
    items: fc.array(
      fc.constantFrom('starter_month', 'growth_year', 'extra_store_month', 'gold').map((key) => item(key)),
      { maxLength: 3 },
    ),
    cancel_at_period_end: fc.boolean(),
    cancel_at: fc.option(fc.integer({ min: CREATED, max: CREATED + 90 * DAY })),
    trial_end: fc.option(fc.constant(CREATED + 14 * DAY)),
    metadata: fc.constantFrom({}, { recoup_ended: 'chargeback' }, { recoup_ended: 'operator' }),
  })
  .map((overrides) => subscription(overrides as Partial<StripeSubscription>))
const anyObjects = fc.record({
  subscriptions: fc
    .array(anySubscription, { maxLength: 5 })
    .map((all) => all.map((one, place) => ({ ...one, id: `sub_${place}` }))),
  invoices: fc.array(
    fc.record({ status: fc.constantFrom('open', 'paid', 'void'), of: fc.constantFrom('sub_0', 'sub_1') }).map(invoice),
    { maxLength: 4 },
  ),
})

it('any order of the same objects gives the same row, which the table accepts', () => {
  fc.assert(
    fc.property(anyObjects, fc.infiniteStream(fc.nat()), ({ subscriptions, invoices }, random) => {
      const { row, problems } = from(subscriptions, { invoices })
      const mixed = <T>(all: readonly T[]) =>
        all
          .map((one) => [random.next().value!, one] as const)
          .sort(([a], [b]) => a - b)
          .map(([, one]) => one)
      expect(from(mixed(subscriptions), { invoices: mixed(invoices) })).toEqual({ row, problems })
      const live = subscriptions.filter(isLive)
      expect(problems.some(({ kind }) => kind === 'two_subscriptions')).toBe(live.length > 1)
      if (!row) return
      expect(row.stripeSubscriptionId).toBe(findCounted(subscriptions)!.id)
      if (row.plan === 'free') expect(row.status).toBe('active')
      expect(row.status === 'past_due').toBe(row.pastDueSince !== null)
      if (live.length === 0) expect(row.plan === 'free' || row.status === 'canceled').toBe(true)
      else expect(row.status).not.toBe('canceled')
    }),
  )
})
