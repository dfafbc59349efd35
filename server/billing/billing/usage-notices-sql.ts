import type { MeteredChannel, PlanKey } from '../../../shared/billing.ts'
import { type Db, sql } from '../../core/db/db.ts'
import { selectInForce } from './fragments.ts'

// Statements on accounts near their plan's limits.

export interface Threshold {
  plan: PlanKey
  channel: string
  limit: number
  near: number
}

export interface NearLimit {
  accountId: string
  channel: MeteredChannel
  used: number
  limit: number
}

/** Of all accounts, per month and channel. Accounts with an overdue payment are skipped. */
export async function selectNearLimits(
  db: Db,
  { month, thresholds, now }: { month: string; thresholds: readonly Threshold[]; now: Date },
): Promise<NearLimit[]> {
  const subscription = sql`(select * from subscriptions s where s.account_id = u.account_id)`
  const { rows } = await sql<NearLimit>`
    select u.account_id as "accountId", u.channel, u.used, l."limit" from plan_usage u
    join accounts a on a.id = u.account_id and a.deleted_at is null
    cross join lateral (${selectInForce(subscription, now)}) f
    join jsonb_to_recordset(${JSON.stringify(thresholds)}::jsonb) as l(plan text, channel text, "limit" int, near int)
      on l.plan = f.plan and l.channel = u.channel
    where u.month = ${month}::date and f."maySend" and not f."isUnlimited" and u.used >= l.near`.execute(db)
  return rows
}
