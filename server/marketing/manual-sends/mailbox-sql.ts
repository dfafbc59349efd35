import { type StoreDb, sql } from '../../core/db/db.ts'
import { newestSend } from '../../messages/messages/fragments.ts'

// What a cart's badge says of the newest send (decision 11), in SQL.

/** Which of these carts have a badge for an email that never left: the newest is in the mailbox on this server (decision 29). */
export async function cartsInMailbox({ db, storeId }: StoreDb, cartIds: readonly string[]): Promise<Set<string>> {
  if (cartIds.length === 0) return new Set()
  const rows = await sql<{ id: string }>`
    select cb.cart_id as id from cart_badges cb cross join lateral (${newestSend(sql`cb.store_id`, sql`cb.cart_id`)}) h
    where cb.store_id = ${storeId} and cb.cart_id = any(${[...cartIds]}::uuid[]) and cb.badge in ('Email Sent', 'No Response')
      and h.reason = 'accepted:mailbox'`.execute(db)
  return new Set(rows.rows.map(({ id }) => id))
}
