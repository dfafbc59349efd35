import { type StoreDb, sql } from '../core/db.ts'
import { newestHandOver } from '../messages/fragments.ts'

// What a cart's badge says of the newest hand-over (decision 11), in SQL.

/** Which of these carts have a badge for an email that never left: the newest is in the mailbox on this server (decision 29). */
export async function cartsInMailbox({ db, storeId }: StoreDb, cartIds: readonly string[]): Promise<Set<string>> {
  if (cartIds.length === 0) return new Set()
  const rows = await sql<{ id: string }>`
    select c.id from carts c cross join lateral (${newestHandOver(sql`c.store_id`, sql`c.id`)}) h
    where c.store_id = ${storeId} and c.id = any(${[...cartIds]}::uuid[]) and c.badge in ('Email Sent', 'No Response')
      and h.reason = 'accepted:mailbox'`.execute(db)
  return new Set(rows.rows.map(({ id }) => id))
}
