import { type StoreDb, sql } from '../../core/db/db.ts'
import { COUNTS } from '../orders/fragments.ts'
import type { Pace } from './before.ts'

// How many people an experiment would have, and what is attributed beside it: SQL and nothing else.

/** By index: those whose cart is still listed, and those whose order ended one that they had left; it may not count (S4). */
export async function readPace({ db, storeId }: StoreDb, since: Date): Promise<Pace> {
  const rows = await sql<Pace>`
    with ended as (
      select c.shopper_id, bool_or(${COUNTS}) as has_bought from orders o join carts c on c.store_id = o.store_id and c.id = o.cart_id
      where o.store_id = ${storeId} and o.purchased_at > ${since} and not o.is_staff and o.kind = 'purchase'
        and c.abandoned_at > ${since} and (c.has_email or c.has_phone or c.had_contact) group by c.shopper_id),
    listed as (
      select distinct c.shopper_id from carts c
      where c.store_id = ${storeId} and c.status in ('abandoned', 'recovered', 'lost') and c.last_activity_at > ${since}
        and (c.has_email or c.has_phone or c.had_contact))
    select (select count(*)::int from (select shopper_id from listed union select shopper_id from ended) p) as people,
      (select count(*)::int from ended where has_bought) as bought`.execute(db)
  return rows.rows[0]!
}

/** An experiment's time by the store's calendar: the whole days within, and what of its first and last day belongs to it. */
export interface Span {
  id: string
  currency: string
  /** The days between these two are whole. */
  firstDay: string
  lastDay: string
  /** Of the first and the last day, or of the only one. */
  parts: { since: Date; until: Date }[]
}

/** Attributed in this time, in minor units of the currency, by experiment: whole days by their figures, the first and the last by their orders. */
export async function attributedIn({ db, storeId }: StoreDb, spans: readonly Span[]): Promise<Map<string, number>> {
  const rows = await sql<{ id: string; net_minor: number }>`
    select e.id, (coalesce((select sum(f.net_minor) from order_figures f where f.store_id = ${storeId} and f.source = 'attributed'
        and f.currency = e.currency and f.day > e."firstDay" and f.day < e."lastDay"), 0)
      + coalesce((select sum(o.net_minor) from jsonb_to_recordset(e.parts) as p(since timestamptz, until timestamptz)
        join orders o on o.store_id = ${storeId} and o.purchased_at >= p.since and o.purchased_at <= p.until
        where o.touchpoint_id is not null and o.currency = e.currency and o.net_minor > 0), 0))::bigint as net_minor
    from jsonb_to_recordset(${JSON.stringify(spans)}::jsonb) as e(id text, currency text, "firstDay" date, "lastDay" date, parts jsonb)`.execute(
    db,
  )
  return new Map(rows.rows.map((row) => [row.id, row.net_minor]))
}
