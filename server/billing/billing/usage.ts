import { listStores } from '../../access/stores/public.ts'
import type { AccountDb } from '../../core/db/public.ts'
import { countHeldByPlan } from '../../messages/messages/public.ts'
import { loadPlan } from './billing.ts'
import { buildMeters } from './meters.ts'
import { canAddStore, explainNoRoom } from './room.ts'
import { computePlanLimits, formatMonth, startOfNextMonth } from './rules.ts'
import { readUsed } from './usage-sql.ts'

// An account's monthly message counts, updated in the transaction that sends the messages.

/**
 * Usage of the plan in force, even while an overdue payment stops sending, because the account returns to that plan.
 */
export async function loadUsage(account: AccountDb, now: Date) {
  const renewsAt = startOfNextMonth(now)
  const plan = await loadPlan(account, now)
  const limits = computePlanLimits(plan.entitlements)
  const usage = await readUsed(account, formatMonth(now))
  const waiting = await countHeldByPlan(account, renewsAt)
  const connected = (await listStores(account)).filter((store) => store.is_active).length
  return {
    month: formatMonth(now),
    renewsAt,
    meters: buildMeters(limits, { usage, waiting }),
    stores: {
      used: connected,
      limit: limits.maxStores,
      problem: explainNoRoom(plan, connected),
      canAdd: canAddStore(plan),
    },
  }
}
