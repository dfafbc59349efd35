import { type StoreDb, sql } from '../core/db.ts'
import type { Pace } from './before.ts'

// How many people an experiment would have, and what is attributed beside it: SQL and nothing else.

/** By index: those whose cart is still listed, and those who bought after they had left one. */
export async function readPace({ db, storeId }: StoreDb, since: Date): Promise<Pace> {
  const rows = await sql<Pace>`
    with bought as (
      select distinct c.shopper_id from orders o join carts c on c.store_id = o.store_id and c.id = o.cart_id
      where o.store_id = ${storeId} and o.purchased_at > ${since} and not o.is_staff and o.kind = 'purchase'
        and c.abandoned_at > ${since} and (c.has_email or c.has_phone)),
    listed as (
      select distinct c.shopper_id from carts c
      where c.store_id = ${storeId} and c.status in ('abandoned', 'recovered', 'lost') and c.last_activity_at > ${since}
        and (c.has_email or c.has_phone))
    select (select count(*)::int from (select shopper_id from listed union select shopper_id from bought) p) as people,
      (select count(*)::int from bought) as bought`.execute(db)
  return rows.rows[0]!
}

/** Attributed in these days of the store's calendar, in minor units of the currency, by experiment. */
export async function attributedIn(
  { db, storeId }: StoreDb,
  experiments: readonly { id: string; currency: string; from: string; until: string }[],
): Promise<Map<string, number>> {
  const rows = await sql<{ id: string; net_minor: number }>`
    select e.id, coalesce(sum(f.net_minor), 0)::bigint as net_minor
    from jsonb_to_recordset(${JSON.stringify(experiments)}::jsonb) as e(id text, currency text, "from" date, until date)
    left join order_figures f on f.store_id = ${storeId} and f.source = 'attributed' and f.currency = e.currency
      and f.day between e."from" and e.until
    group by e.id`.execute(db)
  return new Map(rows.rows.map((row) => [row.id, row.net_minor]))
}
