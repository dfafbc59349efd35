import { type Feature, featurePlans, GRACE_DAYS, type PlanKey, type PlanLimits, plans } from '../../../shared/billing.ts'
import type { SubscriptionsTable } from '../../core/schema/accounts.ts'

// What a subscription allows (decisions 6, 86 and 121). Pure, and the only place that reads a subscription's status; what is read of many
// accounts at once is the same in SQL (`fragments.ts`).

export interface Subscription {
  plan: PlanKey
  status: SubscriptionsTable['status']
  /** Set while the status is past_due, else null. */
  pastDueSince: Date | null
  /** Paid beside those of the plan. */
  extraStores: number
  /** The plan's features without its limits (decision 82). */
  isUnlimited: boolean
}

/** What a subscription comes to at a moment. */
export interface InForce {
  /** Whose features and limits count; null before a plan was chosen. */
  plan: PlanKey | null
  maySend: boolean
  extraStores: number
  isUnlimited: boolean
}

export interface Entitlements extends InForce {
  /** For the guard and signing in (A 4.1, decision 121). */
  isSubscribed: boolean
  /** Why nothing may be sent; null where it may. */
  whyNot: 'no_plan' | 'payment_overdue' | null
  /** Until when an account that is past due sends and counts as subscribed. */
  graceUntil: Date | null
  /** -1 = unlimited. All 0 where nothing may be sent. */
  limits: PlanLimits
}

const NO_LIMITS: PlanLimits = { maxStores: 0, maxEmailsPerMonth: 0, maxSmsPerMonth: 0, maxWhatsappPerMonth: 0 }
const UNLIMITED: PlanLimits = { maxStores: -1, maxEmailsPerMonth: -1, maxSmsPerMonth: -1, maxWhatsappPerMonth: -1 }
const DAY_MS = 86_400_000

export function entitlementsAt(subscription: Subscription | null, now: Date): Entitlements {
  const inForce = inForceAt(subscription, now)
  const { plan, maySend } = inForce
  return {
    ...inForce,
    isSubscribed: maySend && !isEnded(subscription),
    whyNot: maySend ? null : plan === null ? 'no_plan' : 'payment_overdue',
    graceUntil: graceUntilOf(subscription),
    limits: limitsOf(inForce),
  }
}

/** The plan is kept while a payment is overdue; one that is canceled leaves the free plan (decision 86). */
export function inForceAt(subscription: Subscription | null, now: Date): InForce {
  if (!subscription) return { plan: null, maySend: false, extraStores: 0, isUnlimited: false }
  if (isEnded(subscription)) return { plan: 'free', maySend: true, extraStores: 0, isUnlimited: false }
  const until = graceUntilOf(subscription)
  const { plan, extraStores, isUnlimited } = subscription
  return { plan, maySend: until === null || now < until, extraStores, isUnlimited }
}

export const limitsOf = (inForce: InForce): PlanLimits => (inForce.maySend ? planLimitsOf(inForce) : NO_LIMITS)

/** What the account comes back to when it pays what is overdue, and has until then where nothing is sent: its stores. */
export function planLimitsOf({ plan, extraStores, isUnlimited }: Omit<InForce, 'maySend'>): PlanLimits {
  if (!plan) return NO_LIMITS
  if (isUnlimited) return UNLIMITED
  const { limits } = plans[plan]
  return { ...limits, maxStores: limits.maxStores + extraStores }
}

export const hasFeature = ({ plan }: Pick<InForce, 'plan'>, feature: Feature): boolean =>
  plan !== null && featurePlans[feature].includes(plan)

/** Before this, whoever is past due since is no longer in grace. */
export const graceBegan = (now: Date): Date => new Date(now.getTime() - GRACE_DAYS * DAY_MS)

/** By a chargeback or by the operator: who cancels stays active until the period ends and is then on the free plan (decision 121). */
const isEnded = (subscription: Subscription | null) => subscription?.status === 'canceled'

function graceUntilOf(subscription: Subscription | null): Date | null {
  if (subscription?.status !== 'past_due') return null
  return new Date((subscription.pastDueSince?.getTime() ?? 0) + GRACE_DAYS * DAY_MS)
}

export const monthOf = (now: Date): string => `${now.toISOString().slice(0, 7)}-01`

/** When the month of `monthOf` renews. */
export const nextMonth = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
