import { amountMinorOf, GRACE_DAYS } from '../../../shared/billing.ts'
import type { BillingNotices, Price } from '../../../shared/billing-notices.ts'
import type { PaidPlan } from './catalogue-rules.ts'
import type { CopiedRow } from './copy-sql.ts'
import type { DerivedRow } from './derive-rules.ts'

// What the owner is told of, by what was copied before and what is copied now (decisions 84 to 86). Pure. Each is told once: `key`.

const DAY_MS = 86_400_000
/** The owner hears so long before a trial ends. */
const TRIAL_NOTICE_MS = 3 * DAY_MS

/** A payment that is overdue, as its invoice says. */
export interface Overdue {
  invoiceId: string | null
  amount: number | null
  currency: string | null
  reason: string | null
  nextTry: Date | null
}

interface Change {
  /** null: nothing, or nothing of Stripe's. */
  before: CopiedRow | null
  after: DerivedRow
  overdue: Overdue
  /** Stripe has said that the trial is about to end. */
  isTrialEnding: boolean
  /** The number of the look: what is a change is told once in it. */
  begun: number
  now: Date
}

type Type = keyof BillingNotices
export type BillingNotice = {
  [T in Type]: { type: T; key: string; data: BillingNotices[T]; unless?: Type }
}[Type]

export function noticesOf(change: Change): BillingNotice[] {
  const before = change.before?.source === 'stripe' && change.before.cycle !== null ? change.before : null
  const { after } = change
  if (after.cycle === null) return before ? [endOf(before, after, change)] : []
  const told = before ? changesOf(before, change) : [started(change)]
  return [...told, ...trialEnding(change), ...failedPayment(change)]
}

/** That a trial ended by itself is then not told. */
export const refusedTrial = (row: DerivedRow, by: 'card' | 'email') => ({
  ...{ type: 'trial_refused' as const, key: row.stripeSubscriptionId },
  data: { ...priceOf(row), plan: paid(row), by },
})

const keyOf = ({ after, begun }: Change) => `${after.stripeSubscriptionId} ${begun}`

/** What lives has a plan that is paid for. */
const paid = (row: { plan: string }) => row.plan as PaidPlan

const priceOf = ({ amountMinor, currency, cycle }: Pick<DerivedRow, 'amountMinor' | 'currency' | 'cycle'>): Price => ({
  ...{ amount: amountMinor, currency, cycle: cycle ?? 'month' },
})

function endOf(before: CopiedRow, after: DerivedRow, change: Change): BillingNotice {
  const plan = paid(before)
  if (after.status === 'canceled')
    return { type: 'plan_changed', key: keyOf(change), data: { change: 'withdrawn', plan } }
  if (before.status === 'trialing' && before.stripeSubscriptionId === after.stripeSubscriptionId) {
    const data = { ...priceOf(before), plan, goesOn: false }
    return { type: 'trial_ended', key: after.stripeSubscriptionId, unless: 'trial_refused', data }
  }
  return { type: 'plan_changed', key: keyOf(change), data: { change: 'ended', plan } }
}

const termsOf = (after: DerivedRow) => ({
  ...{ plan: paid(after), ...priceOf(after), extraStores: after.extraStores, needsCard: needsCard(after) },
  ...{ trialEndsAt: after.trialEndsAt?.toISOString() ?? null, renewsAt: after.nextBillingAt?.toISOString() ?? null },
})

/** As long as there is none the trial ends on the free plan. */
const needsCard = ({ status, hasCard }: DerivedRow) => status === 'trialing' && !hasCard

const started = (change: Change): BillingNotice => ({
  ...{ type: 'plan_changed', key: keyOf(change), data: { change: 'started', ...termsOf(change.after) } },
})

function changesOf(before: CopiedRow, change: Change): BillingNotice[] {
  const { after } = change
  const told: BillingNotice[] = []
  if (before.status === 'trialing' && after.status !== 'trialing') {
    const data = { ...priceOf(after), plan: paid(after), goesOn: true }
    told.push({ type: 'trial_ended', key: after.stripeSubscriptionId, unless: 'trial_refused', data })
  }
  if (before.status === 'past_due' && after.status !== 'past_due') {
    told.push({ type: 'payment_recovered', key: keyOf(change), data: { plan: paid(after) } })
  }
  const data = changeOf(before, after)
  if (data) told.push({ type: 'plan_changed', key: keyOf(change), data })
  return told
}

function changeOf(before: CopiedRow, after: DerivedRow): BillingNotices['plan_changed'] | null {
  if (boughtText(before) !== boughtText(after)) return { change: 'changed', ...termsOf(after) }
  if (after.cancelAtPeriodEnd !== before.cancelAtPeriodEnd) {
    return after.cancelAtPeriodEnd
      ? { change: 'ending', plan: paid(after), at: after.currentPeriodEnd?.toISOString() ?? null }
      : { change: 'kept', ...termsOf(after) }
  }
  const { next } = after
  if (nextText(before) === (next ? waitingText(next, next.at) : null)) return null
  // What is taken back by an end of the subscription was told with that.
  if (!next) return after.cancelAtPeriodEnd ? null : { change: 'kept', ...termsOf(after) }
  const { plan, cycle, extraStores, at } = next
  const amount = amountMinorOf(plan, cycle, extraStores)
  const planned = { plan, cycle, extraStores, needsCard: needsCard(after), amount, currency: 'USD' }
  return { change: 'planned', ...planned, at: at.toISOString() }
}

interface Bought {
  plan: string
  cycle: string | null
  extraStores: number | null
}
const boughtText = ({ plan, cycle, extraStores }: Bought) => `${plan} ${cycle} ${extraStores}`
const waitingText = (bought: Bought, at: Date) => `${boughtText(bought)} ${at.getTime()}`
const nextText = ({ nextPlan: plan, nextCycle: cycle, nextExtraStores: extraStores, changesAt }: CopiedRow) =>
  plan && changesAt ? waitingText({ plan, cycle, extraStores }, changesAt) : null

/** By Stripe's word, else by our clock, for its word may be lost. */
function trialEnding({ after, isTrialEnding, now }: Change): BillingNotice[] {
  const { status, trialEndsAt, cancelAtPeriodEnd } = after
  if (status !== 'trialing' || !trialEndsAt || cancelAtPeriodEnd) return []
  const left = trialEndsAt.getTime() - now.getTime()
  if (!isTrialEnding && (left <= 0 || left > TRIAL_NOTICE_MS)) return []
  const endsAt = trialEndsAt.toISOString()
  const data = { ...priceOf(after), plan: paid(after), endsAt, hasCard: after.hasCard }
  return [{ type: 'trial_ending', key: `${after.stripeSubscriptionId} ${endsAt}`, data }]
}

function failedPayment({ after, overdue }: Change): BillingNotice[] {
  if (!after.pastDueSince) return []
  const { invoiceId, amount, currency, reason, nextTry } = overdue
  const holdsAt = new Date(after.pastDueSince.getTime() + GRACE_DAYS * DAY_MS).toISOString()
  const data = { ...{ amount, currency, reason, holdsAt }, nextTry: nextTry?.toISOString() ?? null }
  return [{ type: 'payment_failed', key: invoiceId ?? `${after.stripeSubscriptionId} ${holdsAt}`, data }]
}
