import type { MeteredChannel } from '../../../shared/billing/billing.ts'
import { PlanKey, plans } from '../../../shared/billing/billing.ts'
import { type AccountNotice, notifyAccountsOnce } from '../../access/notifications/public.ts'
import { type Db, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { selectInForce } from './fragments.ts'
import { computeNearThreshold, findLevel, toChannelLimits } from './meters.ts'
import { formatMonth, startOfNextMonth } from './rules.ts'

// Decision 87: notifies owners once a month and channel at 80 % and at 100 % of the plan's limit.

/** Tick. The key at 100 % is that of the first held message (send/send-due.ts), so owners are notified once. */
export async function notifyUsage(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const now = deps.now()
  const month = formatMonth(now)
  const renewsAt = startOfNextMonth(now).toISOString()
  const near = await selectNearLimits(deps.db, { month, thresholds, now })
  const notices = near.map(({ accountId, channel, used, limit }): AccountNotice => {
    const about = { accountId, key: `${channel} ${month.slice(0, 7)}` }
    if (findLevel(used, limit) === 'full') return { ...about, type: 'plan_limit', data: { channel, renewsAt } }
    return { ...about, type: 'plan_near_limit', data: { channel, used, limit, renewsAt }, unless: 'plan_limit' }
  })
  await notifyAccountsOnce(deps.db, notices, now)
}

/** Of each plan and channel with a limit. */
const thresholds: Threshold[] = PlanKey.options.flatMap((plan) =>
  Object.entries(toChannelLimits(plans[plan].limits))
    .filter(([, limit]) => limit > 0)
    .map(([channel, limit]) => ({ plan, channel, limit, near: computeNearThreshold(limit) })),
)

// SQL for accounts near their plan's limits.

interface Threshold {
  plan: PlanKey
  channel: string
  limit: number
  near: number
}

interface NearLimit {
  accountId: string
  channel: MeteredChannel
  used: number
  limit: number
}

/** Of all accounts, per month and channel. Accounts with an overdue payment are skipped. */
async function selectNearLimits(
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
