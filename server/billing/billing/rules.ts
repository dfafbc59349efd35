import {
  type Feature,
  featurePlans,
  GRACE_DAYS,
  type PlanKey,
  type PlanLimits,
  plans,
} from '../../../shared/billing/billing.ts'
import type { SubscriptionsTable } from '../../core/schema/public.ts'

// Computes entitlements from a subscription (decisions 6, 86 and 121). Pure, and the only code that reads a
// subscription's status. `fragments.ts` has the same in SQL for many accounts.

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

/** Effect of a subscription at a moment. */
export interface InForce {
  /** Plan whose features and limits apply; null before a plan was chosen. */
  plan: PlanKey | null
  maySend: boolean
  extraStores: number
  isUnlimited: boolean
}

export interface Entitlements extends InForce {
  /** For route guard and sign-in (A 4.1, decision 121). */
  isSubscribed: boolean
  /** Why sending is not allowed; null if it is. */
  whyNot: 'no_plan' | 'payment_overdue' | null
  /** Until then a past-due account sends and counts as subscribed. */
  graceUntil: Date | null
  /** -1 = unlimited. All 0 if sending is not allowed. */
  limits: PlanLimits
}

const NO_LIMITS: PlanLimits = { maxStores: 0, maxEmailsPerMonth: 0, maxSmsPerMonth: 0, maxWhatsappPerMonth: 0 }
const UNLIMITED: PlanLimits = { maxStores: -1, maxEmailsPerMonth: -1, maxSmsPerMonth: -1, maxWhatsappPerMonth: -1 }
const DAY_MS = 86_400_000

export function computeEntitlements(subscription: Subscription | null, now: Date): Entitlements {
  const inForce = computeInForce(subscription, now)
  const { plan, maySend } = inForce
  return {
    ...inForce,
    isSubscribed: maySend && !isEnded(subscription),
    whyNot: maySend ? null : plan === null ? 'no_plan' : 'payment_overdue',
    graceUntil: computeGraceEnd(subscription),
    limits: computeLimits(inForce),
  }
}

/** An overdue payment keeps the plan; a canceled subscription falls back to the free plan (decision 86). */
export function computeInForce(subscription: Subscription | null, now: Date): InForce {
  if (!subscription) return { plan: null, maySend: false, extraStores: 0, isUnlimited: false }
  if (isEnded(subscription)) return { plan: 'free', maySend: true, extraStores: 0, isUnlimited: false }
  const until = computeGraceEnd(subscription)
  const { plan, extraStores, isUnlimited } = subscription
  return { plan, maySend: until === null || now < until, extraStores, isUnlimited }
}

export const computeLimits = (inForce: InForce): PlanLimits =>
  inForce.maySend ? computePlanLimits(inForce) : NO_LIMITS

/** Limits after an overdue payment is made. They also apply to stores while nothing is sent. */
export function computePlanLimits({ plan, extraStores, isUnlimited }: Omit<InForce, 'maySend'>): PlanLimits {
  if (!plan) return NO_LIMITS
  if (isUnlimited) return UNLIMITED
  const { limits } = plans[plan]
  return { ...limits, maxStores: limits.maxStores + extraStores }
}

export const hasFeature = ({ plan }: Pick<InForce, 'plan'>, feature: Feature): boolean =>
  plan !== null && featurePlans[feature].includes(plan)

/** Accounts past due since before this time are out of grace. */
export const computeGraceStart = (now: Date): Date => new Date(now.getTime() - GRACE_DAYS * DAY_MS)

/**
 * Ended by a chargeback or operator. A cancelled plan stays active until the period ends, then becomes free (decision
 * 121).
 */
const isEnded = (subscription: Subscription | null) => subscription?.status === 'canceled'

function computeGraceEnd(subscription: Subscription | null): Date | null {
  if (subscription?.status !== 'past_due') return null
  return new Date((subscription.pastDueSince?.getTime() ?? 0) + GRACE_DAYS * DAY_MS)
}

export const formatMonth = (now: Date): string => `${now.toISOString().slice(0, 7)}-01`

/** Start of the month after `formatMonth`. */
export const startOfNextMonth = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
