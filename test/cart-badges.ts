import { type Db, sql } from '../server/core/db/db.ts'
import type { CartBadge } from '../shared/carts/carts.ts'

// Cart fields that messages change.

export interface CartBadgeValues {
  badge: CartBadge
  last_sent_at: Date | null
  no_response_at: Date | null
}

/** Columns of `cart_badges`, for a query that calls the carts table by this alias. */
export const selectBadgeColumns = (cart: 'carts' | 'c') => {
  const selectBadge = (column: keyof CartBadgeValues) => sql`(select ${sql.ref(`b.${column}`)} from cart_badges b
    where b.store_id = ${sql.ref(`${cart}.store_id`)} and b.cart_id = ${sql.ref(`${cart}.id`)})`
  return [
    sql<CartBadge>`coalesce(${selectBadge('badge')}, 'No Action')`.as('badge'),
    sql<Date | null>`${selectBadge('last_sent_at')}`.as('last_sent_at'),
    sql<Date | null>`${selectBadge('no_response_at')}`.as('no_response_at'),
  ] as const
}

/** Whether a message was sent to the shopper of a cart. */
export const hasSentMessage = (cart: 'carts' | 'c') =>
  sql<boolean>`exists (select 1 from mailed_shoppers w
    where w.store_id = ${sql.ref(`${cart}.store_id`)} and w.shopper_id = ${sql.ref(`${cart}.shopper_id`)})`.as(
    'is_mailed',
  )

export async function setBadge(db: Db, cartIds: readonly string[], badge: CartBadge): Promise<void> {
  await sql`insert into cart_badges (store_id, cart_id, badge)
    select store_id, id, ${badge} from carts where id = any(${[...cartIds]}::uuid[])
    on conflict (store_id, cart_id) do update set badge = excluded.badge`.execute(db)
}
