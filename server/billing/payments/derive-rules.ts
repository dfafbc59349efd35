import {
  type BillingCycle,
  MOST_EXTRA_STORES,
  type PlanKey,
  type SubscriptionSource,
  type SubscriptionStatus,
} from '../../../shared/billing.ts'
import { parseCurrency } from '../../../shared/money.ts'
import type { PaidPlan } from './catalogue-rules.ts'
import { dateOf, type SeenInvoice, type SeenPrice, type SeenSchedule, type SeenSubscription } from './seen.ts'

// Our row of a subscription as a function of Stripe's objects (decision 83). Pure.

export interface Seen {
  /** All of the customer's, those that have ended too. */
  subscriptions: readonly SeenSubscription[]
  invoices: readonly SeenInvoice[]
  /** That of the subscription that counts. */
  schedule: SeenSchedule | null
  /** Whether the customer has a card for all payments. */
  hasCard: boolean
}

/** What a price stands for; a plan of null: an extra store. null: none of ours. */
export type Catalogue = (price: SeenPrice) => { plan: PaidPlan | null; cycle: BillingCycle } | null

interface Bought {
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
  /** Of a period, before discounts and tax. */
  amountMinor: number | null
  currency: string | null
  currentPeriodEnd: Date | null
  nextBillingAt: Date | null
  trialEndsAt: Date | null
  lastPaymentAt: Date | null
  cancelAtPeriodEnd: boolean
  hasCard: boolean
  /** What waits for the end of the period. */
  next: (Bought & { at: Date }) | null
  stripeSubscriptionId: string
  stripeScheduleId: string | null
}

export type ProblemKind = 'two_subscriptions' | 'unknown_price' | 'unknown_status' | 'too_many_stores'
export interface Problem {
  kind: ProblemKind
  /** Ids at Stripe. */
  ids: string[]
}

export interface Derived {
  /** null: what is here stays. */
  row: DerivedRow | null
  problems: Problem[]
}

const LIVE = ['active', 'trialing', 'past_due', 'unpaid']
/** The last of them counts for nothing where one of the others is there. */
const ENDED = ['canceled', 'paused', 'incomplete_expired']
/** Of a subscription's metadata: why we have ended it (decision 121). */
export const ENDED_BY = 'recoup_ended'
/** Of a subscription's metadata: the smaller plan that waited when a larger one was asked for, until that one is made (decision 85). */
export const WAITS = 'recoup_waits'
const ENDS_ACCESS = ['chargeback', 'operator']

export const isLive = ({ status }: Pick<SeenSubscription, 'status'>): boolean => LIVE.includes(status)

export const isTrial = ({ status }: Pick<SeenSubscription, 'status'>): boolean => status === 'trialing'
export const isOverdue = ({ status }: Pick<SeenSubscription, 'status'>): boolean =>
  status === 'past_due' || status === 'unpaid'

/** The newest that lives, else the newest that has ended; one whose first payment is not made yet is none. */
export function countedOf(subscriptions: readonly SeenSubscription[]): SeenSubscription | null {
  const newest = (of: readonly string[]) =>
    subscriptions
      .filter(({ status }) => of.includes(status))
      .reduce<SeenSubscription | null>((best, one) => (best && isNewer(best, one) ? best : one), null)
  return newest(LIVE) ?? newest(ENDED.slice(0, 2)) ?? newest(ENDED)
}

const isNewer = (one: SeenSubscription, other: SeenSubscription) =>
  one.created > other.created || (one.created === other.created && one.id > other.id)

export function subscriptionFrom(seen: Seen, catalogue: Catalogue): Derived {
  const problems: Problem[] = []
  const note = (kind: ProblemKind, of: readonly { id: string }[]) =>
    problems.push({ kind, ids: of.map(({ id }) => id).sort() })
  const live = seen.subscriptions.filter(isLive)
  if (live.length > 1) note('two_subscriptions', live)
  const counted = countedOf(seen.subscriptions)
  if (!counted) {
    const strange = seen.subscriptions.filter(({ status }) => status !== 'incomplete')
    if (strange.length > 0) note('unknown_status', strange)
    return { row: null, problems }
  }
  const bought = boughtOf(counted.items, catalogue)
  if (!isLive(counted)) return { row: endedRow(seen, counted, bought), problems }
  if (!bought) {
    note('unknown_price', [counted])
    return { row: null, problems }
  }
  if (bought.extraStores > MOST_EXTRA_STORES) note('too_many_stores', [counted])
  const next = nextOf(seen.schedule, catalogue)
  if (next === 'unknown') note('unknown_price', [counted])
  return { row: liveRow(seen, counted, { bought, next: next === 'unknown' ? null : next }), problems }
}

/** What the account has without Stripe stays as long as nothing lives there. */
export const replaces = (source: SubscriptionSource | null, row: DerivedRow): boolean =>
  source === null || source === 'stripe' || row.cycle !== null

/** null: none of our plans, or two. What an operator has added by hand counts for the amount only. */
export function boughtOf(
  items: readonly { price: SeenPrice; quantity?: number | undefined }[],
  catalogue: Catalogue,
): Bought | null {
  const known = items.flatMap(({ price, quantity = 1 }) => {
    const sold = catalogue(price)
    return sold ? [{ ...sold, quantity }] : []
  })
  const [first, ...others] = known.filter(({ plan }) => plan !== null)
  if (!first?.plan || others.length > 0) return null
  const extraStores = known.reduce((sum, { plan, quantity }) => sum + (plan === null ? quantity : 0), 0)
  return { plan: first.plan, cycle: first.cycle, extraStores }
}

/** The account is then on the free plan, unless the subscription was taken from it. */
function endedRow(seen: Seen, one: SeenSubscription, bought: Bought | null): DerivedRow {
  const isTaken = one.status === 'canceled' && ENDS_ACCESS.includes(one.metadata[ENDED_BY] ?? '')
  return {
    ...endedWithCustomer(one.id),
    ...(isTaken && bought && { plan: bought.plan, status: 'canceled' as const }),
    ...{ lastPaymentAt: lastPaymentOf(seen), hasCard: hasCard(seen, one) },
  }
}

/** Of a customer that somebody has deleted at Stripe. */
export const endedWithCustomer = (stripeSubscriptionId: string): DerivedRow => ({
  ...{
    plan: 'free',
    status: 'active',
    pastDueSince: null,
    cycle: null,
    extraStores: 0,
    amountMinor: null,
    currency: null,
  },
  ...{ currentPeriodEnd: null, nextBillingAt: null, trialEndsAt: null, lastPaymentAt: null, cancelAtPeriodEnd: false },
  ...{ hasCard: false, next: null, stripeSubscriptionId, stripeScheduleId: null },
})

type Waiting = Bought & { at: Date }

function liveRow(
  seen: Seen,
  one: SeenSubscription,
  { bought, next }: { bought: Bought; next: Waiting | null },
): DerivedRow {
  const periodEnd = Math.max(...one.items.map(({ current_period_end: end }) => end))
  const ends = endsWithPeriod(seen.schedule, one, periodEnd)
  const amounts = one.items.map(({ price, quantity = 1 }) => price.unit_amount && price.unit_amount * quantity)
  return {
    plan: bought.plan,
    ...standing(seen, one),
    cycle: bought.cycle,
    extraStores: Math.min(bought.extraStores, MOST_EXTRA_STORES),
    amountMinor: amounts.reduce<number | null>((sum, each) => (sum === null || each === null ? null : sum + each), 0),
    currency: parseCurrency(one.currency),
    currentPeriodEnd: dateOf(periodEnd),
    nextBillingAt: ends ? null : dateOf(periodEnd),
    trialEndsAt: one.status === 'trialing' && one.trial_end !== null ? dateOf(one.trial_end) : null,
    lastPaymentAt: lastPaymentOf(seen),
    cancelAtPeriodEnd: ends,
    hasCard: hasCard(seen, one),
    next:
      next && !ends && !isSame(next, bought)
        ? { ...next, extraStores: Math.min(next.extraStores, MOST_EXTRA_STORES) }
        : null,
    stripeSubscriptionId: one.id,
    stripeScheduleId: one.schedule,
  }
}

/** An end that was set for later than this period is none yet: the period is renewed first. */
function endsWithPeriod(schedule: SeenSchedule | null, one: SeenSubscription, periodEnd: number): boolean {
  if (one.cancel_at_period_end || (one.cancel_at !== null && one.cancel_at <= periodEnd)) return true
  if (schedule?.status !== 'active' || schedule.end_behavior !== 'cancel') return false
  return Math.max(...schedule.phases.map(({ end_date: end }) => end)) <= periodEnd
}

function standing(seen: Seen, one: SeenSubscription): Pick<DerivedRow, 'status' | 'pastDueSince'> {
  switch (one.status) {
    // Stripe has tried as often as it does: the days of grace are over.
    case 'unpaid':
      return { status: 'past_due', pastDueSince: dateOf(0) }
    case 'past_due':
      return { status: 'past_due', pastDueSince: pastDueSince(seen, one) }
    case 'trialing':
      return { status: 'trialing', pastDueSince: null }
    default:
      return { status: 'active', pastDueSince: null }
  }
}

/** Since the oldest invoice that is open; where an operator has written it off, since the period that it was for. */
function pastDueSince({ invoices }: Seen, one: SeenSubscription): Date {
  const open = openInvoicesOf(invoices, one.id)
  if (open[0]) return dateOf(open[0].status_transitions.finalized_at ?? open[0].created)
  return dateOf(Math.min(...one.items.map(({ current_period_start: start }) => start)))
}

/** The oldest first. */
export function openInvoicesOf(invoices: readonly SeenInvoice[], subscriptionId: string): SeenInvoice[] {
  const since = ({ status_transitions: { finalized_at: at }, created }: SeenInvoice) => at ?? created
  return invoices
    .filter(({ status, parent }) => status === 'open' && parent?.subscription_details?.subscription === subscriptionId)
    .sort((a, b) => since(a) - since(b) || (a.id < b.id ? -1 : 1))
}

function lastPaymentOf({ invoices }: Seen): Date | null {
  const paid = invoices.flatMap(({ status, amount_paid: amount, status_transitions: { paid_at: at } }) =>
    status === 'paid' && amount > 0 && at !== null ? [at] : [],
  )
  return paid.length > 0 ? dateOf(Math.max(...paid)) : null
}

const hasCard = (seen: Seen, one: SeenSubscription) => seen.hasCard || one.default_payment_method !== null

/** The phase after the one that runs. */
function nextOf(schedule: SeenSchedule | null, catalogue: Catalogue): Waiting | null | 'unknown' {
  if (schedule?.status !== 'active' || !schedule.current_phase) return null
  const { end_date: end } = schedule.current_phase
  const [phase] = schedule.phases
    .filter(({ start_date: start }) => start >= end)
    .sort((a, b) => a.start_date - b.start_date)
  if (!phase) return null
  const bought = boughtOf(phase.items, catalogue)
  return bought ? { ...bought, at: dateOf(phase.start_date) } : 'unknown'
}

const isSame = (one: Bought, other: Bought) =>
  one.plan === other.plan && one.cycle === other.cycle && one.extraStores === other.extraStores
