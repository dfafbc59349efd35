import { PlanKey, plans } from '../../../shared/billing.ts'
import { type AccountNotice, notifyAccountsOnce } from '../../access/notifications/notifications.ts'
import type { Deps } from '../../deps.ts'
import { computeNearThreshold, findLevel, toChannelLimits } from './meters.ts'
import { formatMonth, startOfNextMonth } from './rules.ts'
import { selectNearLimits, type Threshold } from './usage-notices-sql.ts'

// Decision 87: notifies owners once a month and channel at 80 % and at 100 % of the plan's limit.

/** Tick. The key at 100 % is that of the first held message (send/send-due.ts), so owners are notified once. */
export async function notifyUsage(deps: Deps): Promise<void> {
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
