import { PlanKey, plans } from '../../../shared/billing.ts'
import type { Deps } from '../../deps.ts'
import { type AccountNotice, notifyAccountsOnce } from '../../access/notifications/notifications.ts'
import { levelOf, limitOf, nearFrom } from './meters.ts'
import { monthOf, nextMonth } from './rules.ts'
import { readNear, type Threshold } from './tell-usage-sql.ts'

// Decision 87: owners are told once a month and channel when 80 % of what their plan includes is used, and when all is.

/** Tick. Notifies an account at 100 % once: the first message that the limit holds uses the same key (send/send-due.ts). */
export async function tellUsage(deps: Deps): Promise<void> {
  const now = deps.now()
  const month = monthOf(now)
  const renewsAt = nextMonth(now).toISOString()
  const near = await readNear(deps.db, { month, thresholds, now })
  const notices = near.map(({ accountId, channel, used, limit }): AccountNotice => {
    const about = { accountId, key: `${channel} ${month.slice(0, 7)}` }
    if (levelOf(used, limit) === 'full') return { ...about, type: 'plan_limit', data: { channel, renewsAt } }
    return { ...about, type: 'plan_near_limit', data: { channel, used, limit, renewsAt }, unless: 'plan_limit' }
  })
  await notifyAccountsOnce(deps.db, notices, now)
}

/** Of each plan and channel that can be used up. */
const thresholds: Threshold[] = PlanKey.options.flatMap((plan) =>
  Object.entries(limitOf(plans[plan].limits))
    .filter(([, limit]) => limit > 0)
    .map(([channel, limit]) => ({ plan, channel, limit, near: nearFrom(limit) })),
)
