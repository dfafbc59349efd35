import { type RawBuilder, sql } from '../core/db.ts'
import { graceBegan, type InForce } from './rules.ts'

// `inForceAt` of rules.ts for statements that read other things too. A test compares the two.

/** One row for each subscription in `subscriptions`, a table or a subselect in parentheses. */
export const selectInForce = (subscriptions: RawBuilder<unknown>, now: Date) => sql<InForce>`
  select case when p.status = 'canceled' then 'free' else p.plan end as plan,
    p.status <> 'past_due' or coalesce(p.past_due_since > ${graceBegan(now)}, false) as "maySend"
  from ${subscriptions} p`

/** Of one account, as JSON; null before a plan was chosen. */
export const inForceOf = (accountId: RawBuilder<unknown>, now: Date) => sql<InForce | null>`
  (select to_jsonb(f) from (${selectInForce(sql`(select * from subscriptions where account_id = ${accountId})`, now)}) f)`
