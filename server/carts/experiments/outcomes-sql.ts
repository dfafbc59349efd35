import { type Db, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import { isCountedOrder } from '../orders/public.ts'

// SQL for the results of an experiment's shoppers.

/**
 * Orders that count for assignment `a` of experiment `e`: bought within its window by a shopper identified only by what
 * was known at the assignment. Other links to the shopper, such as our links and codes, are ignored, so that both arms
 * are measured alike. Stores date purchases to the second.
 */
const OUTCOME = sql`select count(*) > 0 as bought,
    least(coalesce(sum(o.net_minor) filter (where o.currency = e.currency), 0), coalesce(e.cap_minor, 0))::bigint as net_minor
  from orders o
  where o.store_id = a.store_id and o.shopper_id = a.shopper_id and ${isCountedOrder} and not o.is_staff
    and o.purchased_at >= date_trunc('second', a.at) and o.purchased_at < a.window_ends_at
    and array['email:' || o.email, 'phone:' || o.phone, 'customer:' || o.customer_id, 'cart:' || o.cart_token] && a.keys`

const OVERRIDDEN = sql`a.arm = 'control' and exists (select 1 from messages m
  join manual_messages r on r.store_id = m.store_id and r.message_id = m.id
  where m.store_id = a.store_id and m.shopper_id = a.shopper_id and r.overrides_holdout
    and m.sending_at >= a.at and m.sending_at < a.window_ends_at)`

/**
 * The store's orders must be read within this time after a window. Otherwise the purchases are unknown, and it is
 * excluded.
 */
const READ_WITHIN = sql`interval '3 days'`

const IS_READ = sql`exists (select 1 from sync_state y where y.store_id = a.store_id and y.stream in ('order_check', 'sweep')
  and y.completed_start >= a.window_ends_at)`

/** Excluded from both arms: members, shoppers whose window was cut off by the end, and those with unknown purchases. */
const IS_EXCLUDED = sql`a.window_ends_at > coalesce(e.ended_at, 'infinity')
  or not (${IS_READ}) or exists (select 1 from shoppers s where s.store_id = a.store_id and s.id = a.shopper_id and s.is_member)`

/** Sums of these shoppers by day and arm. */
const SUMS = (
  people: ReturnType<typeof sql>,
) => sql`select store_id, experiment_id, (window_ends_at at time zone 'utc')::date as day, arm,
    count(bought) as people, count(*) filter (where bought) as purchases, coalesce(sum(net_minor), 0) as net_minor,
    coalesce(sum(net_minor::numeric * net_minor), 0) as net_squares, count(*) filter (where is_overridden and bought is not null) as overridden,
    count(*) filter (where bought is null) as left_out
  from ${people} group by 1, 2, 3, 4 order by 1, 2, 3, 4`

const COLUMNS = sql`(store_id, experiment_id, day, arm, people, purchases, net_minor, net_squares, overridden, left_out)`

/** Stores with shoppers whose window is over. */
export async function selectStoresToClose(db: Db, now: Date): Promise<string[]> {
  const rows = await sql<{ store_id: string }>`select distinct e.store_id from experiments e
    where exists (select 1 from assignments a where a.store_id = e.store_id and a.closed_at is null and a.window_ends_at <= ${now})`.execute(
    db,
  )
  return rows.rows.map(({ store_id }) => store_id)
}

/**
 * Closes shoppers whose window is over and adds them to the sums in one statement. Returns their number. Safe
 * concurrently.
 */
export async function closeDueShoppers(
  { db, storeId }: StoreDb,
  now: Date,
  limit: number,
): Promise<{ closed: number; experiment_ids: string[] }> {
  const rows = await sql<{ closed: number; experiment_ids: string[] }>`
    with due as materialized (
      select a.*, e.currency, e.cap_minor, e.ended_at from assignments a
      join experiments e on e.store_id = a.store_id and e.id = a.experiment_id
      where a.store_id = ${storeId} and a.closed_at is null and a.window_ends_at <= ${now}
        and (${IS_READ} or a.window_ends_at <= ${now}::timestamptz - ${READ_WITHIN} or a.window_ends_at > coalesce(e.ended_at, 'infinity'))
      order by a.window_ends_at limit ${limit} for update of a skip locked),
    known as (
      select a.store_id, a.experiment_id, a.id, l.is_left_out,
        case when not l.is_left_out then coalesce(a.bought, o.bought) end as bought,
        case when not l.is_left_out then coalesce(a.net_minor, o.net_minor) end as net_minor, a.is_overridden or ${OVERRIDDEN} as is_overridden
      from due a join experiments e on e.store_id = a.store_id and e.id = a.experiment_id
      cross join lateral (select (${IS_EXCLUDED}) as is_left_out) l cross join lateral (${OUTCOME}) o),
    closed as (
      update assignments a set bought = k.bought, net_minor = k.net_minor, is_overridden = k.is_overridden, keys = '{}', closed_at = ${now}
      from known k where a.store_id = k.store_id and a.experiment_id = k.experiment_id and a.id = k.id
      returning a.*),
    added as (
      insert into experiment_days as d ${COLUMNS} ${SUMS(sql`closed`)}
      on conflict (store_id, experiment_id, day, arm) do update set people = d.people + excluded.people,
        purchases = d.purchases + excluded.purchases, net_minor = d.net_minor + excluded.net_minor,
        net_squares = d.net_squares + excluded.net_squares, overridden = d.overridden + excluded.overridden,
        left_out = d.left_out + excluded.left_out)
    select count(*)::int as closed, coalesce(array_agg(distinct experiment_id), '{}') as experiment_ids from closed`.execute(
    db,
  )
  return rows.rows[0]!
}

export interface ArmSizes {
  id: string
  control_bps: number
  treated: number
  control: number
}

/** Sizes of the arms of experiments without an alarm. */
export async function selectArmSizes({ db, storeId }: StoreDb, experimentIds: readonly string[]): Promise<ArmSizes[]> {
  const rows = await sql<ArmSizes>`
    select e.id, e.control_bps, coalesce(sum(d.people) filter (where d.arm = 'treated'), 0)::bigint as treated,
      coalesce(sum(d.people) filter (where d.arm = 'control'), 0)::bigint as control
    from experiments e join experiment_days d on d.store_id = e.store_id and d.experiment_id = e.id
    where e.store_id = ${storeId} and e.id = any(${[...experimentIds]}::uuid[]) and e.alarm_at is null group by e.id, e.control_bps`.execute(
    db,
  )
  return rows.rows
}

export async function raiseAlarm({ db, storeId }: StoreDb, experimentId: string, now: Date): Promise<void> {
  await sql`update experiments set alarm_at = ${now} where store_id = ${storeId} and id = ${experimentId} and alarm_at is null`.execute(
    db,
  )
}

/** Recomputes the sums from all closed shoppers. */
export async function recount({ db, storeId }: StoreTx): Promise<void> {
  await sql`lock table experiment_days in share row exclusive mode`.execute(db)
  await sql`delete from experiment_days where store_id = ${storeId}`.execute(db)
  await sql`insert into experiment_days ${COLUMNS}
    ${SUMS(sql`(select * from assignments where store_id = ${storeId} and closed_at is not null) closed`)}`.execute(db)
}

/**
 * For an erasure: stores the shoppers' purchases so far and deletes their identities. Their arm stays (F1). A result
 * stored by an earlier erasure stays too, because its orders can no longer be identified.
 */
export async function anonymizeShoppers({ db, storeId }: StoreTx, shopperIds: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    with theirs as (
      select a.id, a.experiment_id, o.bought, o.net_minor, ${OVERRIDDEN} as is_overridden, a.closed_at is null and a.window_ends_at is not null as is_open
      from assignments a join experiments e on e.store_id = a.store_id and e.id = a.experiment_id
      cross join lateral (${OUTCOME}) o
      where a.store_id = ${storeId} and a.shopper_id = any(${[...shopperIds]}::uuid[]))
    update assignments a set keys = '{}',
      bought = case when t.is_open then coalesce(a.bought, t.bought) else a.bought end,
      net_minor = case when t.is_open then coalesce(a.net_minor, t.net_minor) else a.net_minor end,
      is_overridden = a.is_overridden or t.is_open and t.is_overridden
    from theirs t where a.store_id = ${storeId} and a.experiment_id = t.experiment_id and a.id = t.id`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export interface ArmSums {
  experiment_id: string
  arm: 'treated' | 'control'
  people: number
  purchases: number
  net_minor: number
  net_squares: number
  overridden: number
  left_out: number
}

export async function selectSums({ db, storeId }: StoreDb, experimentIds: readonly string[]): Promise<ArmSums[]> {
  const rows = await sql<ArmSums>`
    select experiment_id, arm, sum(people)::bigint as people, sum(purchases)::bigint as purchases, sum(net_minor)::bigint as net_minor,
      sum(net_squares)::float8 as net_squares, sum(overridden)::bigint as overridden, sum(left_out)::bigint as left_out
    from experiment_days where store_id = ${storeId} and experiment_id = any(${[...experimentIds]}::uuid[])
    group by experiment_id, arm`.execute(db)
  return rows.rows
}

/** Experiments that have shoppers not yet counted. */
export async function selectWithOpenWindows(
  { db, storeId }: StoreDb,
  experimentIds: readonly string[],
): Promise<Set<string>> {
  const rows = await sql<{ id: string }>`
    select e.id from unnest(${[...experimentIds]}::uuid[]) as e(id) where exists (select 1 from assignments a
      where a.store_id = ${storeId} and a.experiment_id = e.id and a.closed_at is null and a.window_ends_at is not null)`.execute(
    db,
  )
  return new Set(rows.rows.map(({ id }) => id))
}

/** Updates the number of shoppers still to be counted in all running experiments. */
export async function countWaiting(db: Db): Promise<void> {
  await sql`update experiments x set waiting_treated = c.treated, waiting_control = c.control
    from (select e.store_id, e.id, count(a.id) filter (where a.arm = 'treated') as treated, count(a.id) filter (where a.arm = 'control') as control
      from experiments e left join assignments a on a.store_id = e.store_id and a.experiment_id = e.id
        and a.closed_at is null and a.window_ends_at is not null
      where e.ended_at is null group by e.store_id, e.id) c
    where x.store_id = c.store_id and x.id = c.id and (x.waiting_treated, x.waiting_control) is distinct from (c.treated, c.control)`.execute(
    db,
  )
}
