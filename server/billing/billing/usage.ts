import type { AccountDb } from '../../core/db/db.ts'
import { countHeldByPlan } from '../../messages/messages/messages.ts'
import { storesOf } from '../../access/stores/store.ts'
import { planOf } from './billing.ts'
import { metersOf } from './meters.ts'
import { canAddStore, noRoom } from './room.ts'
import { monthOf, nextMonth, planLimitsOf } from './rules.ts'
import { readUsed } from './usage-sql.ts'

// How many messages an account has sent in a month, counted in the transaction that hands them over.

export { addUsage, lockUsage } from './usage-sql.ts'

/** Of the plan in force, also while an overdue payment holds everything: it is what the account comes back to. */
export async function usageOf(account: AccountDb, now: Date) {
  const renewsAt = nextMonth(now)
  const plan = await planOf(account, now)
  const limits = planLimitsOf(plan.entitlements)
  const usage = await readUsed(account, monthOf(now))
  const waiting = await countHeldByPlan(account, renewsAt)
  const connected = (await storesOf(account)).filter((store) => store.is_active).length
  return {
    month: monthOf(now),
    renewsAt,
    meters: metersOf(limits, { usage, waiting }),
    stores: { used: connected, limit: limits.maxStores, problem: noRoom(plan, connected), canAdd: canAddStore(plan) },
  }
}
