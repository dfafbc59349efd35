import { type AccountDb, type Db, sql, type Tx } from '../../core/db/public.ts'

// SQL for Stripe's events and their accounts.

export interface StoredEvent {
  id: string
  type: string
  customer: string | null
  createdAt: Date
}

/** Returns whether the event is new. */
export async function insertEvent(tx: Tx, { id, type, customer, createdAt }: StoredEvent, now: Date): Promise<boolean> {
  const inserted = await tx
    .insertInto('billing_events')
    .values({ event_id: id, type, stripe_customer_id: customer, made_at: createdAt, received_at: now })
    .onConflict((conflict) => conflict.column('event_id').doNothing())
    .returning('event_id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function deleteOldEvents(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('billing_events').where('received_at', '<', before).execute()
}

/** Stripe names a customer before the account is known. */
export async function selectAccountOfCustomer(db: Db | Tx, customer: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('billing_customers')
    .select('account_id')
    .where('stripe_customer_id', '=', customer)
    .executeTakeFirst()
  return row?.account_id
}

export function readCustomer({ db, accountId }: AccountDb) {
  return db
    .selectFrom('billing_customers')
    .select(['stripe_customer_id as customer', 'refreshed_at as refreshedAt', 'failed_at as failedAt'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
}

/** Accounts with the oldest snapshots. After a failed fetch they wait for an hour instead of a day. */
export async function selectStaleAccounts(
  db: Db,
  { before, failedBefore, limit }: { before: Date; failedBefore: Date; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ account_id: string }>`
    select account_id from (
      (select c.account_id, c.refreshed_at from billing_customers c join accounts a on a.id = c.account_id and a.deleted_at is null
        where (c.refreshed_at is null or c.refreshed_at < ${before}) and (c.failed_at is null or c.failed_at < ${failedBefore})
        order by c.refreshed_at nulls first, c.account_id limit ${limit})
      union
      (select c.account_id, c.refreshed_at from billing_customers c join accounts a on a.id = c.account_id and a.deleted_at is null
        where c.failed_at < ${failedBefore} order by c.failed_at, c.account_id limit ${limit})) stale
    order by refreshed_at nulls first, account_id limit ${limit}`.execute(db)
  return rows.map((row) => row.account_id)
}
