import { type Db, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { Day } from './days.ts'
import { isCustomer } from './fragments.ts'
import type { DaySpans } from './rules.ts'

// SQL for distinct people, who cannot be summed from days and are counted separately.

/** Counts people per store and span. Reads orders and listed carts by index, and the open carts of all stores once. */
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
      where o.shopper_id is not null and not o.is_renewal
      union all
      select s.store_id, c.shopper_id, c.last_activity_at >= s.since
      from spans s join carts c on c.store_id = s.store_id and c.last_activity_at >= s.before and c.last_activity_at < s.until
      where c.status in ('abandoned', 'recovered', 'lost') and (c.email is not null or c.phone is not null or c.had_contact)
      union all
      select s.store_id, c.shopper_id, c.last_activity_at >= s.since
      from spans s join carts c on c.store_id = s.store_id and c.last_activity_at >= s.before and c.last_activity_at < s.until
      where c.status = 'active' and c.abandon_at is not null and (c.email is not null or c.phone is not null or c.had_contact))
    insert into active_shopper_counts (store_id, counted_at, active, active_before)
    select s.store_id, ${now}, count(distinct p.shopper_id) filter (where p.is_now),
      count(distinct p.shopper_id) filter (where not p.is_now)
    from spans s join stores on stores.id = s.store_id left join seen p on p.store_id = s.store_id
    group by s.store_id order by s.store_id
    on conflict (store_id) do update set counted_at = excluded.counted_at, active = excluded.active,
      active_before = excluded.active_before`.execute(db)
}

/** Counts of buyers in a range (decision 95). */
export interface BuyerCounts {
  counted_at: Date
  /** The last day of the range. */
  until: Day
  buyers: number
  new_buyers: number
  returning_buyers: number
  repeat_buyers: number
  orders: number
}

const BUYERS = sql`counted_at, until, buyers, new_buyers, returning_buyers, repeat_buyers, orders`

/** The last count of the range of `days` days; null: none. */
export async function readBuyers({ db, storeId }: StoreDb, days: number): Promise<BuyerCounts | null> {
  const { rows } = await sql<BuyerCounts>`
    select ${BUYERS} from counted_figures where store_id = ${storeId} and days = ${days} and counted_at is not null`.execute(
    db,
  )
  return rows[0] ?? null
}

/** Whether the store has more than `than` orders. */
export async function hasMoreOrders({ db, storeId }: StoreDb, than: number): Promise<boolean> {
  const { rows } = await sql<{ isMore: boolean }>`
    select count(*) > ${than} as "isMore"
    from (select 1 from orders where store_id = ${storeId} and purchased_at is not null limit ${than + 1}) o`.execute(
    db,
  )
  return rows[0]!.isMore
}

/** Requests a count; repeated requests have no effect until it is counted. Does not wait for locks. */
export async function askForBuyers({ db, storeId }: StoreDb, days: number, now: Date): Promise<void> {
  await sql`
    with known as (
      select store_id, days from counted_figures where store_id = ${storeId} and days = ${days} and asked_at is null for update skip locked),
    asked as (
      update counted_figures f set asked_at = ${now} from known where f.store_id = known.store_id and f.days = known.days)
    insert into counted_figures (store_id, days, asked_at)
    select ${storeId}::uuid, ${days}::int, ${now}::timestamptz
    where not exists (select 1 from counted_figures where store_id = ${storeId} and days = ${days})
    on conflict (store_id, days) do nothing`.execute(db)
}

/** Lists requested ranges, longest waiting first. */
export async function listBuyerRequests(db: Db, limit: number): Promise<{ store_id: string; days: number }[]> {
  const { rows } = await sql<{ store_id: string; days: number }>`
    select store_id, days from counted_figures where asked_at is not null order by asked_at limit ${limit}`.execute(db)
  return rows
}

/** Locks a requested range for counting. Returns false if it is no longer requested or another process counts it. */
export async function lockRequest({ db, storeId }: StoreTx, days: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from counted_figures where store_id = ${storeId} and days = ${days} and asked_at is not null for update skip locked`.execute(
    db,
  )
  return rows.length > 0
}

/** Locks the range, waiting for a running count. */
export async function lockBuyers({ db, storeId }: StoreTx, days: number): Promise<void> {
  await sql`insert into counted_figures (store_id, days) values (${storeId}, ${days}) on conflict (store_id, days) do nothing`.execute(
    db,
  )
  await sql`select 1 from counted_figures where store_id = ${storeId} and days = ${days} for update`.execute(db)
}

/**
 * Counts buyers from every order of the store. Looks up `isCustomer` per buyer: a join would read the keys of all
 * shoppers, most of whom have bought nothing.
 */
export async function countBuyers(
  { db, storeId }: StoreTx,
  { days, until, from, to, now }: { days: number; until: Day; from: Date; to: Date; now: Date },
): Promise<void> {
  await sql`
    with bought as (
      select shopper_id, count(*) filter (where purchased_at >= ${from}) as here, count(*) filter (where purchased_at < ${from}) as earlier
      from orders where store_id = ${storeId} and purchased_at is not null and purchased_at < ${to} and net_minor > 0 and shopper_id is not null
      group by shopper_id),
    counted as (
      select count(*) as buyers, count(*) filter (where earlier = 0) as new_buyers, count(*) filter (where earlier > 0) as returning_buyers,
        count(*) filter (where here + earlier > 1) as repeat_buyers, coalesce(sum(here), 0) as orders
      from bought where here > 0 and (select ${isCustomer(storeId, sql`bought.shopper_id`)} offset 0))
    update counted_figures f set asked_at = null, counted_at = ${now}, until = ${until}::date, buyers = c.buyers, new_buyers = c.new_buyers,
      returning_buyers = c.returning_buyers, repeat_buyers = c.repeat_buyers, orders = c.orders
    from counted c where f.store_id = ${storeId} and f.days = ${days}`.execute(db)
}
