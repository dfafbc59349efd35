import { type StoreDb, sql } from '../../core/db/db.ts'
import { COUNTS } from '../orders/fragments.ts'
import type { Pace } from './forecast.ts'

// Statements on the pace of an experiment and on attributed revenue beside it.

/**
 * Served by indexes: shoppers with a listed cart, and those whose order ended an abandoned one, even if it does not
 * count (S4).
 */
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

/** An experiment's time in the store's calendar: its whole days, and the parts of its first and last day. */
export interface Span {
  id: string
  currency: string
  /** The days between these two are whole. */
  firstDay: string
  lastDay: string
  /** Parts of the first and last day, or of the only one. */
  parts: { since: Date; until: Date }[]
}

/** Attributed revenue by experiment, in minor units: whole days from daily figures, the first and last from orders. */
export async function selectAttributed({ db, storeId }: StoreDb, spans: readonly Span[]): Promise<Map<string, number>> {
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
