import { type StoreDb, sql } from '../../core/db/db.ts'
import { newestSend } from '../../messages/messages/fragments.ts'

// Statement for the mailbox mark of a cart's badge (decision 11).

/** Carts whose newest email went to the mailbox on this server instead of a mail server (decision 29). */
export async function cartsInMailbox({ db, storeId }: StoreDb, cartIds: readonly string[]): Promise<Set<string>> {
  if (cartIds.length === 0) return new Set()
  const rows = await sql<{ id: string }>`
    select cb.cart_id as id from cart_badges cb cross join lateral (${newestSend(sql`cb.store_id`, sql`cb.cart_id`)}) h
    where cb.store_id = ${storeId} and cb.cart_id = any(${[...cartIds]}::uuid[]) and cb.badge in ('Email Sent', 'No Response')
      and h.reason = 'accepted:mailbox'`.execute(db)
  return new Set(rows.rows.map(({ id }) => id))
}
