import { type Db, type StoreDb, type StoreTx, sql, type Tx } from '../core/db.ts'
import type { FigureSubject } from '../schema/analytics.ts'
import type { Day } from './days.ts'

// What has changed since figures were counted last, and the days to be counted anew (decisions 91 to 101).

const LOCK = 731_205_483

/** One process counts at a time; ends with its transaction. */
export async function lockFigures(db: Tx): Promise<boolean> {
  const { rows } = await sql<{
    isMine: boolean
  }>`select pg_try_advisory_xact_lock(${LOCK}::bigint) as "isMine"`.execute(db)
  return rows[0]!.isMine
}

/** Stores with something to count after this one, in the order of their ids. What was noted of stores that are gone goes, too. */
export async function storesToCount(db: Db, after: string, limit: number): Promise<string[]> {
  await sql`delete from figure_changes c where not exists (select 1 from stores s where s.id = c.store_id)`.execute(db)
  const { rows } = await sql<{ id: string }>`
    select s.id from stores s where s.id > ${after}
      and (exists (select 1 from figure_changes c where c.store_id = s.id) or exists (select 1 from figure_days d where d.store_id = s.id))
    order by s.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

export interface Changed {
  /** null: every day */
  subject: FigureSubject | null
  /** A moment of the day. */
  at: Date | null
}

/** The days of what was noted: where the row counted before, and where it counts now. */
export async function takeChanges({ db, storeId }: StoreTx, limit: number): Promise<Changed[]> {
  const { rows } = await sql<Changed>`
    with taken as materialized (
      delete from figure_changes where store_id = ${storeId}
        and id in (select id from figure_changes where store_id = ${storeId} limit ${limit})
      returning subject, at, cart_id, message_id, shopper_id),
    said as materialized (
      select m.shopper_id, m.cart_id, m.handed_over_at from (select distinct message_id from taken where message_id is not null) t
      join messages m on m.store_id = ${storeId} and m.id = t.message_id where m.handed_over_at is not null),
    people as (select distinct shopper_id as id from taken where shopper_id is not null),
    found (subject, at) as (
      select subject, at from taken where subject <> 'all' and at is not null
      union all select 'messages', handed_over_at from said
      union all select 'carts', c.started_at
        from (select cart_id from said union select cart_id from taken) t join carts o on o.store_id = ${storeId} and o.id = t.cart_id
        join carts c on c.store_id = ${storeId} and c.id in (o.id, o.merged_into)
      union all select 'orders', o.purchased_at
        from said m join stores s on s.id = ${storeId}
        join orders o on o.store_id = ${storeId} and o.shopper_id = m.shopper_id and o.purchased_at >= m.handed_over_at
          and o.purchased_at <= m.handed_over_at + s.attribution_window_days * interval '1 day'
      union all select 'carts', d.at
        from people p join carts c on c.store_id = ${storeId} and c.shopper_id = p.id, lateral (values (c.started_at), (c.abandoned_at)) d (at)
      union all select 'orders', f.purchased_at
        from people p, lateral (
          select o.purchased_at, row_number() over (partition by o.currency order by o.purchased_at, o.order_id) as place from orders o
          where o.store_id = ${storeId} and o.shopper_id = p.id and o.purchased_at is not null and o.net_minor > 0) f
        where f.place <= 2)
    select distinct subject, rollup_slot(at) as at from found where at is not null
    union all (select null, null from taken where subject = 'all' limit 1)`.execute(db)
  return rows
}

export async function addDays({ db, storeId }: StoreTx, days: readonly { subject: FigureSubject; day: Day }[]) {
  if (days.length === 0) return
  await sql`
    insert into figure_days (store_id, subject, day)
    select ${storeId}, subject, day from jsonb_to_recordset(${JSON.stringify(days)}::jsonb) as d (subject text, day date)
    on conflict do nothing`.execute(db)
}

/** The newest days of one subject. */
export async function takeDays(
  { db, storeId }: StoreTx,
  limit: number,
): Promise<{ subject: FigureSubject; days: Day[] } | null> {
  const { rows } = await sql<{ subject: FigureSubject; day: Day }>`
    with next as (select subject from figure_days where store_id = ${storeId} order by day desc, subject limit 1)
    delete from figure_days where store_id = ${storeId} and (subject, day) in (
      select d.subject, d.day from figure_days d join next on next.subject = d.subject
      where d.store_id = ${storeId} order by d.day desc limit ${limit})
    returning subject, day`.execute(db)
  const [first] = rows
  return first ? { subject: first.subject, days: rows.map(({ day }) => day) } : null
}

/** From the first moment anything counts to the last; null: nothing does. */
export async function readSpan({ db, storeId }: StoreDb): Promise<{ first: Date; last: Date } | null> {
  const { rows } = await sql<{ first: Date | null; last: Date | null }>`
    select least(
        (select started_at from carts where store_id = ${storeId} order by started_at limit 1),
        (select handed_over_at from messages where store_id = ${storeId} and handed_over_at is not null order by handed_over_at limit 1),
        (select purchased_at from orders where store_id = ${storeId} and purchased_at is not null order by purchased_at limit 1)) as first,
      greatest(
        (select started_at from carts where store_id = ${storeId} order by started_at desc limit 1),
        (select abandoned_at from carts where store_id = ${storeId} and abandoned_at is not null order by abandoned_at desc limit 1),
        (select handed_over_at from messages where store_id = ${storeId} and handed_over_at is not null order by handed_over_at desc limit 1),
        (select purchased_at from orders where store_id = ${storeId} and purchased_at is not null order by purchased_at desc limit 1)) as last`.execute(
    db,
  )
  const { first, last } = rows[0]!
  return first && last ? { first, last } : null
}

/** Before everything is counted anew. */
export async function clear({ db, storeId }: StoreTx): Promise<void> {
  for (const table of FIGURES) await sql`delete from ${sql.table(table)} where store_id = ${storeId}`.execute(db)
}

const FIGURES = [
  'cart_figures',
  'funnel_figures',
  'message_figures',
  'order_figures',
  'product_figures',
  'product_month_figures',
]

export async function noteCount({ db, storeId }: StoreTx, now: Date): Promise<void> {
  await sql`insert into figure_counts (store_id, counted_at) values (${storeId}, ${now})
    on conflict (store_id) do update set counted_at = excluded.counted_at`.execute(db)
}
