import type { AccountDb } from '../../core/db/public.ts'

// SQL for Stripe customers and checkout sessions.

export function readCustomer({ db, accountId }: AccountDb) {
  return db
    .selectFrom('billing_customers')
    .select('stripe_customer_id as id')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}
