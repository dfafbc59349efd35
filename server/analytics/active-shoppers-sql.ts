import { type Db, type StoreDb, sql } from '../core/db.ts'
import type { DaySpans } from './rules.ts'

// Active customers: distinct people with an order or with a cart somebody could be written to about (decision 28).

export interface PeopleRow {
  counted_at: Date
  active: number
  active_before: number
}

export async function readPeople({ db, storeId }: StoreDb): Promise<PeopleRow | undefined> {
  return db
    .selectFrom('active_shopper_counts')
    .select(['counted_at', 'active', 'active_before'])
    .where('store_id', '=', storeId)
    .executeTakeFirst()
}

/** Connected stores whose people were not counted since then, the longest waiting first. A count from the future was dated by a clock set back. */
export async function storesToCount(db: Db, since: Date, now: Date, limit: number) {
  return db
    .selectFrom('stores')
    .leftJoin('active_shopper_counts', 'active_shopper_counts.store_id', 'stores.id')
    .select(['stores.id as store_id', 'stores.time_zone'])
    .where('stores.is_active', '=', true)
    .where((eb) =>
      eb.or([
        eb('active_shopper_counts.counted_at', 'is', null),
        eb('active_shopper_counts.counted_at', '<=', since),
        eb('active_shopper_counts.counted_at', '>', new Date(now.getTime() + 60_000)),
      ]),
    )
    .orderBy('active_shopper_counts.counted_at', (order) => order.asc().nullsFirst())
    .limit(limit)
    .execute()
}

/** Each store in its own span. Reads orders and listed carts of the spans by their indexes, and the carts now open of all stores once. */
export async function countPeople(
  db: Db,
  spans: readonly (DaySpans & { store_id: string })[],
  now: Date,
): Promise<void> {
  await sql`
    with spans as (
      select * from jsonb_to_recordset(${JSON.stringify(spans)}::jsonb)
        as s(store_id uuid, before timestamptz, since timestamptz, until timestamptz)),
    seen as (
      select s.store_id, o.shopper_id, o.purchased_at >= s.since as is_now
      from spans s join orders o on o.store_id = s.store_id and o.purchased_at >= s.before and o.purchased_at < s.until
      where o.shopper_id is not null
      union all
      select s.store_id, c.shopper_id, c.last_activity_at >= s.since
      from spans s join carts c on c.store_id = s.store_id and c.last_activity_at >= s.before and c.last_activity_at < s.until
      where c.status in ('abandoned', 'recovered', 'lost') and (c.email is not null or c.phone is not null)
      union all
      select s.store_id, c.shopper_id, c.last_activity_at >= s.since
      from spans s join carts c on c.store_id = s.store_id and c.last_activity_at >= s.before and c.last_activity_at < s.until
      where c.status = 'active' and c.abandon_at is not null and (c.email is not null or c.phone is not null))
    insert into active_shopper_counts (store_id, counted_at, active, active_before)
    select s.store_id, ${now}, count(distinct p.shopper_id) filter (where p.is_now),
      count(distinct p.shopper_id) filter (where not p.is_now)
    from spans s join stores on stores.id = s.store_id left join seen p on p.store_id = s.store_id
    group by s.store_id order by s.store_id
    on conflict (store_id) do update set counted_at = excluded.counted_at, active = excluded.active,
      active_before = excluded.active_before`.execute(db)
}
