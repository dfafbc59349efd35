import type { PlanKey, SubscriptionSource, SubscriptionStatus } from '../../../shared/billing/billing.ts'
import { type RawBuilder, sql } from '../../core/db/public.ts'
import { computeGraceStart, type InForce } from './rules.ts'

// `computeInForce` of rules.ts as SQL. A test compares the two.

/** One row per subscription in `subscriptions`, a table or a subselect in parentheses. */
export const selectInForce = (subscriptions: RawBuilder<unknown>, now: Date) => sql<InForce>`
  select case when p.status = 'canceled' then 'free' else p.plan end as plan,
    p.status <> 'past_due' or coalesce(p.past_due_since > ${computeGraceStart(now)}, false) as "maySend",
    case when p.status = 'canceled' then 0 else p.extra_stores end as "extraStores",
    p.status <> 'canceled' and p.is_unlimited as "isUnlimited"
  from ${subscriptions} p`

/** Of one account, as JSON; null before a plan was chosen. */
export const selectPlanInForce = (accountId: RawBuilder<unknown>, now: Date) => sql<InForce | null>`
  (select to_jsonb(f) from (${selectInForce(sql`(select * from subscriptions where account_id = ${accountId})`, now)}) f)`

/** The chosen plan as JSON, for operators; null before one was chosen. */
export const selectChosenPlan = (accountId: RawBuilder<unknown>) => sql<ChosenPlan | null>`
  (select jsonb_build_object('plan', c.plan, 'status', c.status, 'source', c.source, 'isUnlimited', c.is_unlimited)
    from subscriptions c where c.account_id = ${accountId})`

export interface ChosenPlan {
  plan: PlanKey
  status: SubscriptionStatus
  source: SubscriptionSource
  isUnlimited: boolean
}
