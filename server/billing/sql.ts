import type { PlanKey } from '../../shared/billing.ts'
import type { AccountDb } from '../core/db.ts'

// Billing: SQL and nothing else.

export function readSubscription({ db, accountId }: AccountDb) {
  return db
    .selectFrom('subscriptions')
    .select(['plan', 'status', 'next_billing_at as nextBillingAt', 'past_due_since as pastDueSince'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}

export function isDemoAccount({ db, accountId }: AccountDb) {
  return db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('is_demo', '=', true)
    .executeTakeFirst()
}

export function savePlan({ db, accountId }: AccountDb, plan: PlanKey, now: Date) {
  const chosen = { plan, status: 'active' as const, next_billing_at: null, past_due_since: null, updated_at: now }
  return db
    .insertInto('subscriptions')
    .values({ account_id: accountId, ...chosen })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(chosen))
    .execute()
}
