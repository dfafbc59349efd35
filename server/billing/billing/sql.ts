import type { BillingCycle, PlanKey, SubscriptionSource } from '../../../shared/billing/billing.ts'
import type { AccountDb } from '../../core/db/public.ts'

// SQL for subscriptions.

export interface PlanInput {
  plan: PlanKey
  source: Exclude<SubscriptionSource, 'stripe'>
  isUnlimited?: boolean
  /** Of a test plan. */
  cycle?: BillingCycle | null
}

export function readSubscription({ db, accountId }: AccountDb) {
  return db
    .selectFrom('subscriptions')
    .select(['plan', 'status', 'next_billing_at as nextBillingAt', 'past_due_since as pastDueSince'])
    .select(['source', 'cycle', 'extra_stores as extraStores', 'is_unlimited as isUnlimited'])
    .select(['amount_minor as amountMinor', 'currency', 'current_period_end as currentPeriodEnd'])
    .select(['trial_ends_at as trialEndsAt', 'last_payment_at as lastPaymentAt', 'has_card as hasCard'])
    .select(['cancel_at_period_end as cancelAtPeriodEnd', 'next_plan as nextPlan', 'next_cycle as nextCycle'])
    .select(['changes_at as changesAt', 'stripe_subscription_id as stripeSubscriptionId'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}

export type SubscriptionRow = NonNullable<Awaited<ReturnType<typeof readSubscription>>>

/** Saves a plan not paid by card, and clears all columns copied from Stripe. */
export function savePlan(
  { db, accountId }: AccountDb,
  { plan, source, isUnlimited = false, cycle = null }: PlanInput,
  now: Date,
) {
  const chosen = {
    plan,
    status: 'active' as const,
    source,
    is_unlimited: isUnlimited,
    updated_at: now,
    next_billing_at: null,
    past_due_since: null,
    extra_stores: 0,
    cycle,
    amount_minor: null,
    currency: null,
    current_period_end: null,
    trial_ends_at: null,
    last_payment_at: null,
    cancel_at_period_end: false,
    has_card: false,
    next_plan: null,
    next_cycle: null,
    next_extra_stores: null,
    changes_at: null,
    stripe_subscription_id: null,
    stripe_schedule_id: null,
  }
  return db
    .insertInto('subscriptions')
    .values({ account_id: accountId, ...chosen })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(chosen))
    .execute()
}
