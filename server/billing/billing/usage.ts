import { storesOf } from '../../access/stores/store.ts'
import type { AccountDb } from '../../core/db/db.ts'
import { countHeldByPlan } from '../../messages/messages/messages.ts'
import { planOf } from './billing.ts'
import { buildMeters } from './meters.ts'
import { canAddStore, noRoom } from './room.ts'
import { computePlanLimits, monthOf, nextMonth } from './rules.ts'
import { readUsed } from './usage-sql.ts'

// An account's monthly message counts, updated in the transaction that sends the messages.

export { addUsage, lockUsage } from './usage-sql.ts'

/**
 * Usage of the plan in force, also while an overdue payment stops sending, because the account returns to that plan.
 */
export async function usageOf(account: AccountDb, now: Date) {
  const renewsAt = nextMonth(now)
  const plan = await planOf(account, now)
  const limits = computePlanLimits(plan.entitlements)
  const usage = await readUsed(account, monthOf(now))
  const waiting = await countHeldByPlan(account, renewsAt)
  const connected = (await storesOf(account)).filter((store) => store.is_active).length
  return {
    month: monthOf(now),
    renewsAt,
    meters: buildMeters(limits, { usage, waiting }),
    stores: { used: connected, limit: limits.maxStores, problem: noRoom(plan, connected), canAdd: canAddStore(plan) },
  }
}
