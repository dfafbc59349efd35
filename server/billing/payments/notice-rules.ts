import { GRACE_DAYS, planAmountMinor } from '../../../shared/billing.ts'
import type { BillingNotices, Price } from '../../../shared/billing-notices.ts'
import type { PaidPlan } from './catalogue-rules.ts'
import type { StoredSubscription } from './copy-sql.ts'
import type { DerivedRow } from './derive-rules.ts'

// Notifications for the owner, from the previous and the new copy (decisions 84 to 86). Pure. `key`: each is sent once.

const DAY_MS = 86_400_000
/** Notice period before a trial ends. */
const TRIAL_NOTICE_MS = 3 * DAY_MS

/** An overdue payment, by its invoice. */
export interface Overdue {
  invoiceId: string | null
  amount: number | null
  currency: string | null
  reason: string | null
  nextTry: Date | null
}

interface Change {
  /** null: no row, or none from Stripe. */
  before: StoredSubscription | null
  after: DerivedRow
  overdue: Overdue
  /** Stripe announced the end of the trial. */
  isTrialEnding: boolean
  /** Version of the snapshot, so that each change is notified once in it. */
  begun: number
  now: Date
}

type Type = keyof BillingNotices
export type BillingNotice = {
  [T in Type]: { type: T; key: string; data: BillingNotices[T]; unless?: Type }
}[Type]

export function buildNotices(change: Change): BillingNotice[] {
  const before = change.before?.source === 'stripe' && change.before.cycle !== null ? change.before : null
  const { after } = change
  if (after.cycle === null) return before ? [buildEndNotice(before, after, change)] : []
  const notices = before ? buildChangeNotices(before, change) : [buildStartNotice(change)]
  return [...notices, ...buildTrialEndingNotice(change), ...buildFailedPaymentNotice(change)]
}

/** Replaces the notice that the trial ended by itself. */
export const buildRefusedTrial = (row: DerivedRow, by: 'card' | 'email') => ({
  ...{ type: 'trial_refused' as const, key: row.stripeSubscriptionId },
  data: { ...readPrice(row), plan: toPaidPlan(row), by },
})

const buildKey = ({ after, begun }: Change) => `${after.stripeSubscriptionId} ${begun}`

/** A live subscription always has a paid plan. */
const toPaidPlan = (row: { plan: string }) => row.plan as PaidPlan

const readPrice = ({
  amountMinor,
  currency,
  cycle,
}: Pick<DerivedRow, 'amountMinor' | 'currency' | 'cycle'>): Price => ({
  ...{ amount: amountMinor, currency, cycle: cycle ?? 'month' },
})

function buildEndNotice(before: StoredSubscription, after: DerivedRow, change: Change): BillingNotice {
  const plan = toPaidPlan(before)
  if (after.status === 'canceled')
    return { type: 'plan_changed', key: buildKey(change), data: { change: 'withdrawn', plan } }
  if (before.status === 'trialing' && before.stripeSubscriptionId === after.stripeSubscriptionId) {
    const data = { ...readPrice(before), plan, goesOn: false }
    return { type: 'trial_ended', key: after.stripeSubscriptionId, unless: 'trial_refused', data }
  }
  return { type: 'plan_changed', key: buildKey(change), data: { change: 'ended', plan } }
}

const readTerms = (after: DerivedRow) => ({
  ...{ plan: toPaidPlan(after), ...readPrice(after), extraStores: after.extraStores, needsCard: needsCard(after) },
  ...{ trialEndsAt: after.trialEndsAt?.toISOString() ?? null, renewsAt: after.nextBillingAt?.toISOString() ?? null },
})

/** Without a card the trial ends on the free plan. */
const needsCard = ({ status, hasCard }: DerivedRow) => status === 'trialing' && !hasCard

const buildStartNotice = (change: Change): BillingNotice => ({
  ...{ type: 'plan_changed', key: buildKey(change), data: { change: 'started', ...readTerms(change.after) } },
})

function buildChangeNotices(before: StoredSubscription, change: Change): BillingNotice[] {
  const { after } = change
  const notices: BillingNotice[] = []
  if (before.status === 'trialing' && after.status !== 'trialing') {
    const data = { ...readPrice(after), plan: toPaidPlan(after), goesOn: true }
    notices.push({ type: 'trial_ended', key: after.stripeSubscriptionId, unless: 'trial_refused', data })
  }
  if (before.status === 'past_due' && after.status !== 'past_due') {
    notices.push({ type: 'payment_recovered', key: buildKey(change), data: { plan: toPaidPlan(after) } })
  }
  const data = describeChange(before, after)
  if (data) notices.push({ type: 'plan_changed', key: buildKey(change), data })
  return notices
}

function describeChange(before: StoredSubscription, after: DerivedRow): BillingNotices['plan_changed'] | null {
  if (purchaseKey(before) !== purchaseKey(after)) return { change: 'changed', ...readTerms(after) }
  if (after.cancelAtPeriodEnd !== before.cancelAtPeriodEnd) {
    return after.cancelAtPeriodEnd
      ? { change: 'ending', plan: toPaidPlan(after), at: after.currentPeriodEnd?.toISOString() ?? null }
      : { change: 'kept', ...readTerms(after) }
  }
  const { next } = after
  if (storedNextKey(before) === (next ? scheduledKey(next, next.at) : null)) return null
  // An end of the subscription has its own notice.
  if (!next) return after.cancelAtPeriodEnd ? null : { change: 'kept', ...readTerms(after) }
  const { plan, cycle, extraStores, at } = next
  const amount = planAmountMinor(plan, cycle, extraStores)
  const planned = { plan, cycle, extraStores, needsCard: needsCard(after), amount, currency: 'USD' }
  return { change: 'planned', ...planned, at: at.toISOString() }
}

interface Bought {
  plan: string
  cycle: string | null
  extraStores: number | null
}
const purchaseKey = ({ plan, cycle, extraStores }: Bought) => `${plan} ${cycle} ${extraStores}`
const scheduledKey = (bought: Bought, at: Date) => `${purchaseKey(bought)} ${at.getTime()}`
const storedNextKey = ({
  nextPlan: plan,
  nextCycle: cycle,
  nextExtraStores: extraStores,
  changesAt,
}: StoredSubscription) => (plan && changesAt ? scheduledKey({ plan, cycle, extraStores }, changesAt) : null)

/** By Stripe's event, else by our clock, because the event may be lost. */
function buildTrialEndingNotice({ after, isTrialEnding, now }: Change): BillingNotice[] {
  const { status, trialEndsAt, cancelAtPeriodEnd } = after
  if (status !== 'trialing' || !trialEndsAt || cancelAtPeriodEnd) return []
  const left = trialEndsAt.getTime() - now.getTime()
  if (!isTrialEnding && (left <= 0 || left > TRIAL_NOTICE_MS)) return []
  const endsAt = trialEndsAt.toISOString()
  const data = { ...readPrice(after), plan: toPaidPlan(after), endsAt, hasCard: after.hasCard }
  return [{ type: 'trial_ending', key: `${after.stripeSubscriptionId} ${endsAt}`, data }]
}

function buildFailedPaymentNotice({ after, overdue }: Change): BillingNotice[] {
  if (!after.pastDueSince) return []
  const { invoiceId, amount, currency, reason, nextTry } = overdue
  const holdsAt = new Date(after.pastDueSince.getTime() + GRACE_DAYS * DAY_MS).toISOString()
  const data = { ...{ amount, currency, reason, holdsAt }, nextTry: nextTry?.toISOString() ?? null }
  return [{ type: 'payment_failed', key: invoiceId ?? `${after.stripeSubscriptionId} ${holdsAt}`, data }]
}
