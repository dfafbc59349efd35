import { type Db, type StoreDb, type StoreTx, sql, type Tx } from '../../core/db/public.ts'
import type { FigureSubject } from '../../core/schema/public.ts'
import type { Day } from './days.ts'

// SQL for recorded changes and for the days to recount (decisions 91 to 101).

const LOCK = 731_205_483

/** Takes a transaction-level lock, so that one process counts at a time. */
export async function lockFigures(db: Tx): Promise<boolean> {
  const { rows } = await sql<{
    isMine: boolean
  }>`select pg_try_advisory_xact_lock(${LOCK}::bigint) as "isMine"`.execute(db)
  return rows[0]!.isMine
}

/** Lists stores with something to count, by id, after `after`. */
export async function listStoresToCount(db: Db, { after, now, limit }: { after: string; now: Date; limit: number }) {
  const { rows } = await sql<{ id: string }>`
    select s.id from stores s where s.id > ${after}
      and (exists (select 1 from figure_changes c where c.store_id = s.id)
        or exists (select 1 from figure_days d where d.store_id = s.id and d.due_at <= ${now}))
    order by s.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Deletes the changes of removed stores. Steps through the index by store, because there are many changes. */
export async function deleteOrphans(db: Db): Promise<void> {
  await sql`
    with recursive noted (store_id) as (
      (select store_id from figure_changes order by store_id limit 1)
      union all
      select (select c.store_id from figure_changes c where c.store_id > n.store_id order by c.store_id limit 1)
      from noted n where n.store_id is not null)
    delete from figure_changes where store_id in (
      select n.store_id from noted n where not exists (select 1 from stores s where s.id = n.store_id))`.execute(db)
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export interface ChangedDay {
  subject: FigureSubject | 'all'
  /** An instant within the day; null: all days. */
  at: Date | null
}

/**
 * Takes recorded changes as days: where a row counted before and where it counts now. `isAll`: no older change is left.
 */
export async function takeChanges(
  { db, storeId }: StoreTx,
  limit: number,
): Promise<{ days: ChangedDay[]; isAll: boolean }> {
  const { rows } = await sql<{ change_count: number; subject: ChangedDay['subject'] | null; at: Date | null }>`
    with changes as materialized (
      -- By an upper id, not by a list of ids: PostgreSQL plans the table as empty and would compare each row with each.
      delete from figure_changes where store_id = ${storeId} and id <= coalesce(
        (select id from figure_changes where store_id = ${storeId} order by id offset ${limit - 1} limit 1), ${LAST_ID}::uuid)
      returning subject, at, cart_id, message_id, shopper_id),
    sent as materialized (
      select m.cart_id, m.sending_at from (select distinct message_id from changes where message_id is not null) t
      join messages m on m.store_id = ${storeId} and m.id = t.message_id where m.sending_at is not null),
    people as (
      select shopper_id as id, min(coalesce(at, '-infinity')) as since, min(at) as bought_at from changes
      where subject = 'orders' and shopper_id is not null group by shopper_id),
    found (subject, at) as (
      select subject, at from changes where subject = 'all' or at is not null or (subject = 'orders' and shopper_id is null)
      union all select case when subject = 'carts' then 'funnel' else 'carts' end, at from changes where subject in ('carts', 'products')
      union all select 'messages', sending_at from sent
      union all select 'funnel', c.started_at
        from (select cart_id from sent union select cart_id from changes) t join carts o on o.store_id = ${storeId} and o.id = t.cart_id
        join carts c on c.store_id = ${storeId} and c.id in (o.id, o.merged_into)
      union all select 'orders', o.purchased_at
        from (select distinct shopper_id, at from changes where subject = 'messages') m join stores s on s.id = ${storeId}
        join orders o on o.store_id = ${storeId} and o.shopper_id = m.shopper_id and o.purchased_at >= m.at
          and o.purchased_at <= m.at + s.attribution_window_days * interval '1 day'
      union all select d.subject, d.at
        from people p join carts c on c.store_id = ${storeId} and c.shopper_id = p.id and c.started_at > p.bought_at,
          lateral (values ('carts', c.started_at), ('carts', c.abandoned_at)) d (subject, at)
        where d.at is not null
      union all select 'orders', o.purchased_at
        from people p join orders o on o.store_id = ${storeId} and o.shopper_id = p.id and o.purchased_at >= p.since
        where o.purchased_at is not null and o.net_minor > 0)
    select t.change_count, f.subject, f.at from (select count(*)::int as change_count from changes) t
    left join (select distinct subject, rollup_slot(at) as at from found) f on true`.execute(db)
  const days = rows.flatMap(({ subject, at }) => (subject === null ? [] : [{ subject, at }]))
  return { days, isAll: rows[0]!.change_count < limit }
}

export interface NotedDay {
  subject: FigureSubject
  day: Day
  /** All its changes came after this time; null: a full recount. */
  noted_at: Date | null
  due_at: Date
}

/** Adds days to recount. A day that is already listed keeps its earlier due time. */
export async function addDays({ db, storeId }: StoreTx, days: readonly NotedDay[]): Promise<void> {
  if (days.length === 0) return
  await sql`
    insert into figure_days (store_id, subject, day, noted_at, due_at)
    select ${storeId}, d.* from jsonb_to_recordset(${JSON.stringify(days)}::jsonb)
      as d (subject text, day date, noted_at timestamptz, due_at timestamptz)
    on conflict (store_id, subject, day) do update set due_at = least(figure_days.due_at, excluded.due_at),
      noted_at = case when excluded.noted_at is not null then figure_days.noted_at end
    where excluded.due_at < figure_days.due_at or excluded.noted_at is null`.execute(db)
}

/** Takes the newest due days of one subject. */
export async function takeDays(
  { db, storeId }: StoreTx,
  now: Date,
  limit: number,
): Promise<{ subject: FigureSubject; days: Day[] } | null> {
  const { rows } = await sql<{ subject: FigureSubject; day: Day }>`
    with next as (
      select subject from figure_days where store_id = ${storeId} and due_at <= ${now} order by day desc, subject limit 1)
    delete from figure_days where store_id = ${storeId} and (subject, day) in (
      select d.subject, d.day from figure_days d join next on next.subject = d.subject
      where d.store_id = ${storeId} and d.due_at <= ${now} order by d.day desc limit ${limit})
    returning subject, day`.execute(db)
  const [first] = rows
  return first ? { subject: first.subject, days: rows.map(({ day }) => day) } : null
}

/** The first and last instant with something to count; null: none. */
export async function readSpan({ db, storeId }: StoreDb): Promise<{ first: Date; last: Date } | null> {
  const { rows } = await sql<{ first: Date | null; last: Date | null }>`
    select least(
        (select started_at from carts where store_id = ${storeId} order by started_at limit 1),
        (select sending_at from messages where store_id = ${storeId} and sending_at is not null order by sending_at limit 1),
        (select purchased_at from orders where store_id = ${storeId} and purchased_at is not null order by purchased_at limit 1)) as first,
      greatest(
        (select started_at from carts where store_id = ${storeId} order by started_at desc limit 1),
        (select abandoned_at from carts where store_id = ${storeId} and abandoned_at is not null order by abandoned_at desc limit 1),
        (select sending_at from messages where store_id = ${storeId} and sending_at is not null order by sending_at desc limit 1),
        (select purchased_at from orders where store_id = ${storeId} and purchased_at is not null order by purchased_at desc limit 1)) as last`.execute(
    db,
  )
  const { first, last } = rows[0]!
  return first && last ? { first, last } : null
}

/** Deletes figures of days outside the store's span, such as those of a former time zone. */
export async function clearOutside({ db, storeId }: StoreTx, days: { first: Day; last: Day } | null): Promise<void> {
  for (const [table, day] of FIGURES) {
    const isWithin = days
      ? sql`${sql.ref(day)} between date_trunc(${day}, ${days.first}::date)::date and ${days.last}::date`
      : sql`false`
    await sql`delete from ${sql.table(table)} where store_id = ${storeId} and not (${isWithin})`.execute(db)
  }
}

const FIGURES = [
  ['cart_figures', 'day'],
  ['funnel_figures', 'day'],
  ['message_figures', 'day'],
  ['flow_figures', 'day'],
  ['order_figures', 'day'],
  ['product_figures', 'day'],
  ['product_month_figures', 'month'],
] as const

/** Deletes the cached counts of people (decision 95). */
export async function forgetPeople({ db, storeId }: StoreTx): Promise<void> {
  await sql`delete from counted_figures where store_id = ${storeId}`.execute(db)
}

export interface Count {
  taken_at: Date | null
  many_at: Date | null
}

export async function readCount({ db, storeId }: StoreTx): Promise<Count> {
  const { rows } = await sql<Count>`select taken_at, many_at from figure_counts where store_id = ${storeId}`.execute(db)
  return rows[0] ?? { taken_at: null, many_at: null }
}

/** Records how far the store is counted, by the days that are left. */
export async function noteCount({ db, storeId }: StoreTx, { taken_at, many_at }: Count): Promise<void> {
  await sql`
    insert into figure_counts (store_id, taken_at, many_at, counted_at)
    select ${storeId}, ${taken_at}, ${many_at}::timestamptz, case when count(*) = 0 then ${taken_at}::timestamptz
      when count(*) = count(noted_at) then least(min(noted_at), ${taken_at}::timestamptz) end
    from figure_days where store_id = ${storeId}
    on conflict (store_id) do update set taken_at = excluded.taken_at, many_at = excluded.many_at,
      counted_at = excluded.counted_at`.execute(db)
}
