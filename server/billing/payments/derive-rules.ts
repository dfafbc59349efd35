import {
  type BillingCycle,
  MAX_EXTRA_STORES,
  type PlanKey,
  type SubscriptionSource,
  type SubscriptionStatus,
} from '../../../shared/billing/billing.ts'
import { parseCurrency } from '../../../shared/core/money.ts'
import type { PaidPlan } from './catalogue-rules.ts'
import {
  type StripeInvoice,
  type StripePrice,
  type StripeSchedule,
  type StripeSubscription,
  toDate,
} from './stripe-schemas.ts'

// Derives our subscription row from Stripe's objects (decision 83). Pure.

export interface StripeObjects {
  /** All of the customer's, including ended ones. */
  subscriptions: readonly StripeSubscription[]
  invoices: readonly StripeInvoice[]
  /** Schedule of the subscription that counts. */
  schedule: StripeSchedule | null
  /** Whether the customer has a default card. */
  hasCard: boolean
}

/** Looks up what a price sells; plan null: an extra store. Returns null if it is not ours. */
export type PriceLookup = (price: StripePrice) => { plan: PaidPlan | null; cycle: BillingCycle } | null

interface PlanPurchase {
  plan: PaidPlan
  cycle: BillingCycle
  extraStores: number
}

export interface DerivedRow {
  plan: PlanKey
  status: SubscriptionStatus
  pastDueSince: Date | null
  cycle: BillingCycle | null
  extraStores: number
  /** Per period, before discounts and tax. */
  amountMinor: number | null
  currency: string | null
  currentPeriodEnd: Date | null
  nextBillingAt: Date | null
  trialEndsAt: Date | null
  lastPaymentAt: Date | null
  cancelAtPeriodEnd: boolean
  hasCard: boolean
  /** Change at the end of the period. */
  next: (PlanPurchase & { at: Date }) | null
  stripeSubscriptionId: string
  stripeScheduleId: string | null
}

export type ProblemKind = 'two_subscriptions' | 'unknown_price' | 'unknown_status' | 'too_many_stores'
export interface DerivedProblem {
  kind: ProblemKind
  /** Ids at Stripe. */
  ids: string[]
}

export interface DerivedSubscription {
  /** null: keep the stored row. */
  row: DerivedRow | null
  problems: DerivedProblem[]
}

const LIVE = ['active', 'trialing', 'past_due', 'unpaid']
/** An ended subscription counts only if there is no other. */
const ENDED = ['canceled', 'paused', 'incomplete_expired']
/** Metadata key of a subscription: why we ended it (decision 121). */
export const END_REASON = 'recoup_ended'
/**
 * Metadata key of a subscription: a scheduled smaller plan, kept until a requested larger one is made (decision 85).
 */
export const WAITING_PLAN = 'recoup_waits'
const REVOKED_BY = ['chargeback', 'operator']

export const isLive = ({ status }: Pick<StripeSubscription, 'status'>): boolean => LIVE.includes(status)

export const isTrial = ({ status }: Pick<StripeSubscription, 'status'>): boolean => status === 'trialing'
export const isOverdue = ({ status }: Pick<StripeSubscription, 'status'>): boolean =>
  status === 'past_due' || status === 'unpaid'

/** The newest live subscription, else the newest ended one. One without a first payment does not count. */
export function findCounted(subscriptions: readonly StripeSubscription[]): StripeSubscription | null {
  const newest = (of: readonly string[]) =>
    subscriptions
      .filter(({ status }) => of.includes(status))
      .reduce<StripeSubscription | null>((best, one) => (best && isNewer(best, one) ? best : one), null)
  return newest(LIVE) ?? newest(ENDED.slice(0, 2)) ?? newest(ENDED)
}

const isNewer = (one: StripeSubscription, other: StripeSubscription) =>
  one.created > other.created || (one.created === other.created && one.id > other.id)

export function deriveSubscription(objects: StripeObjects, catalogue: PriceLookup): DerivedSubscription {
  const problems: DerivedProblem[] = []
  const note = (kind: ProblemKind, of: readonly { id: string }[]) =>
    problems.push({ kind, ids: of.map(({ id }) => id).sort() })
  const live = objects.subscriptions.filter(isLive)
  if (live.length > 1) note('two_subscriptions', live)
  const counted = findCounted(objects.subscriptions)
  if (!counted) {
    const strange = objects.subscriptions.filter(({ status }) => status !== 'incomplete')
    if (strange.length > 0) note('unknown_status', strange)
    return { row: null, problems }
  }
  const bought = readPurchase(counted.items, catalogue)
  if (!isLive(counted)) return { row: buildEndedRow(objects, counted, bought), problems }
  if (!bought) {
    note('unknown_price', [counted])
    return { row: null, problems }
  }
  if (bought.extraStores > MAX_EXTRA_STORES) note('too_many_stores', [counted])
  const next = readNextPhase(objects.schedule, catalogue)
  if (next === 'unknown') note('unknown_price', [counted])
  return { row: buildLiveRow(objects, counted, { bought, next: next === 'unknown' ? null : next }), problems }
}

/** A plan not from Stripe stays as long as no subscription is live there. */
export const replacesSource = (source: SubscriptionSource | null, row: DerivedRow): boolean =>
  source === null || source === 'stripe' || row.cycle !== null

/** null: none of our plans, or two. Items added by an operator at Stripe count for the amount only. */
export function readPurchase(
  items: readonly { price: StripePrice; quantity?: number | undefined }[],
  catalogue: PriceLookup,
): PlanPurchase | null {
  const known = items.flatMap(({ price, quantity = 1 }) => {
    const sold = catalogue(price)
    return sold ? [{ ...sold, quantity }] : []
  })
  const [first, ...others] = known.filter(({ plan }) => plan !== null)
  if (!first?.plan || others.length > 0) return null
  const extraStores = known.reduce((sum, { plan, quantity }) => sum + (plan === null ? quantity : 0), 0)
  return { plan: first.plan, cycle: first.cycle, extraStores }
}

/** The account gets the free plan, unless the subscription was revoked. */
function buildEndedRow(objects: StripeObjects, one: StripeSubscription, bought: PlanPurchase | null): DerivedRow {
  const isRevoked = one.status === 'canceled' && REVOKED_BY.includes(one.metadata[END_REASON] ?? '')
  return {
    ...buildRowOfDeletedCustomer(one.id),
    ...(isRevoked && bought && { plan: bought.plan, status: 'canceled' as const }),
    lastPaymentAt: findLastPayment(objects),
    hasCard: hasCard(objects, one),
  }
}

/** For a customer that was deleted at Stripe. */
export const buildRowOfDeletedCustomer = (stripeSubscriptionId: string): DerivedRow => ({
  plan: 'free',
  status: 'active',
  pastDueSince: null,
  cycle: null,
  extraStores: 0,
  amountMinor: null,
  currency: null,
  currentPeriodEnd: null,
  nextBillingAt: null,
  trialEndsAt: null,
  lastPaymentAt: null,
  cancelAtPeriodEnd: false,
  hasCard: false,
  next: null,
  stripeSubscriptionId,
  stripeScheduleId: null,
})

type ScheduledChange = PlanPurchase & { at: Date }

function buildLiveRow(
  objects: StripeObjects,
  one: StripeSubscription,
  { bought, next }: { bought: PlanPurchase; next: ScheduledChange | null },
): DerivedRow {
  const periodEnd = Math.max(...one.items.map(({ current_period_end: end }) => end))
  const ends = endsWithPeriod(objects.schedule, one, periodEnd)
  const amounts = one.items.map(({ price, quantity = 1 }) => price.unit_amount && price.unit_amount * quantity)
  return {
    plan: bought.plan,
    ...deriveStatus(objects, one),
    cycle: bought.cycle,
    extraStores: Math.min(bought.extraStores, MAX_EXTRA_STORES),
    amountMinor: amounts.reduce<number | null>((sum, each) => (sum === null || each === null ? null : sum + each), 0),
    currency: parseCurrency(one.currency),
    currentPeriodEnd: toDate(periodEnd),
    nextBillingAt: ends ? null : toDate(periodEnd),
    trialEndsAt: one.status === 'trialing' && one.trial_end !== null ? toDate(one.trial_end) : null,
    lastPaymentAt: findLastPayment(objects),
    cancelAtPeriodEnd: ends,
    hasCard: hasCard(objects, one),
    next:
      next && !ends && !isSame(next, bought)
        ? { ...next, extraStores: Math.min(next.extraStores, MAX_EXTRA_STORES) }
        : null,
    stripeSubscriptionId: one.id,
    stripeScheduleId: one.schedule,
  }
}

/** An end set for after this period does not count yet: the period is renewed first. */
function endsWithPeriod(schedule: StripeSchedule | null, one: StripeSubscription, periodEnd: number): boolean {
  if (one.cancel_at_period_end || (one.cancel_at !== null && one.cancel_at <= periodEnd)) return true
  if (schedule?.status !== 'active' || schedule.end_behavior !== 'cancel') return false
  return Math.max(...schedule.phases.map(({ end_date: end }) => end)) <= periodEnd
}

function deriveStatus(objects: StripeObjects, one: StripeSubscription): Pick<DerivedRow, 'status' | 'pastDueSince'> {
  switch (one.status) {
    // Stripe has used up its retries, so the grace period is over.
    case 'unpaid':
      return { status: 'past_due', pastDueSince: toDate(0) }
    case 'past_due':
      return { status: 'past_due', pastDueSince: findPastDueSince(objects, one) }
    case 'trialing':
      return { status: 'trialing', pastDueSince: null }
    default:
      return { status: 'active', pastDueSince: null }
  }
}

/** Since the oldest open invoice. If an operator wrote it off, since the start of its period. */
function findPastDueSince({ invoices }: StripeObjects, one: StripeSubscription): Date {
  const open = listOpenInvoices(invoices, one.id)
  if (open[0]) return toDate(open[0].status_transitions.finalized_at ?? open[0].created)
  return toDate(Math.min(...one.items.map(({ current_period_start: start }) => start)))
}

/** Oldest first. */
export function listOpenInvoices(invoices: readonly StripeInvoice[], subscriptionId: string): StripeInvoice[] {
  const since = ({ status_transitions: { finalized_at: at }, created }: StripeInvoice) => at ?? created
  return invoices
    .filter(({ status, parent }) => status === 'open' && parent?.subscription_details?.subscription === subscriptionId)
    .sort((a, b) => since(a) - since(b) || (a.id < b.id ? -1 : 1))
}

function findLastPayment({ invoices }: StripeObjects): Date | null {
  const paid = invoices.flatMap(({ status, amount_paid: amount, status_transitions: { paid_at: at } }) =>
    status === 'paid' && amount > 0 && at !== null ? [at] : [],
  )
  return paid.length > 0 ? toDate(Math.max(...paid)) : null
}

const hasCard = (objects: StripeObjects, one: StripeSubscription) =>
  objects.hasCard || one.default_payment_method !== null

/** The phase after the current one. */
function readNextPhase(schedule: StripeSchedule | null, catalogue: PriceLookup): ScheduledChange | null | 'unknown' {
  if (schedule?.status !== 'active' || !schedule.current_phase) return null
  const { end_date: end } = schedule.current_phase
  const [phase] = schedule.phases
    .filter(({ start_date: start }) => start >= end)
    .sort((a, b) => a.start_date - b.start_date)
  if (!phase) return null
  const bought = readPurchase(phase.items, catalogue)
  return bought ? { ...bought, at: toDate(phase.start_date) } : 'unknown'
}

const isSame = (one: PlanPurchase, other: PlanPurchase) =>
  one.plan === other.plan && one.cycle === other.cycle && one.extraStores === other.extraStores
