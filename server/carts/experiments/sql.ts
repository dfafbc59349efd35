import { type Db, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { ExperimentsTable } from '../../core/schema/public.ts'
import { isRunning } from './fragments.ts'

// SQL for experiments and assignments. Results are in outcomes-sql.ts.

export type Experiment = Awaited<ReturnType<typeof listExperiments>>[number]

/** Newest first. */
export function listExperiments({ db, storeId }: StoreDb, limit: number) {
  return db
    .selectFrom('experiments')
    .selectAll()
    .where('store_id', '=', storeId)
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** The running experiment. */
export async function selectRunning({ db, storeId }: StoreDb, now: Date) {
  const rows =
    await sql<Experiment>`select x.* from experiments x where x.store_id = ${storeId} and ${isRunning(now)}`.execute(db)
  return rows.rows[0]
}

/** Returns its id; undefined if one is running. */
export async function insertExperiment(
  { db, storeId }: StoreTx,
  input: Pick<
    ExperimentsTable,
    'salt' | 'control_bps' | 'started_at' | 'planned_end_at' | 'window_days' | 'currency' | 'cap_minor' | 'cap_orders'
  > & {
    id: string
  },
): Promise<string | undefined> {
  const row = await db
    .insertInto('experiments')
    .values({ store_id: storeId, ...input })
    .onConflict((conflict) => conflict.columns(['store_id']).where('ended_at', 'is', null).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Returns whether it was running. */
export async function endExperiment(
  { db, storeId }: StoreTx,
  { reason, at }: { reason: 'stopped' | 'changed'; at: Date },
): Promise<boolean> {
  const rows = await db
    .updateTable('experiments')
    .set({ ended_at: at, end_reason: reason })
    .where('store_id', '=', storeId)
    .where('ended_at', 'is', null)
    .where('planned_end_at', '>', at)
    .returning('id')
    .execute()
  return rows.length > 0
}

/** Ends experiments of all stores whose planned day has come. */
export async function endPlanned(db: Db, now: Date): Promise<void> {
  await sql`update experiments set ended_at = planned_end_at, end_reason = 'planned'
    where ended_at is null and planned_end_at <= ${now}`.execute(db)
}

/** Ends it for one store, so that another can start. */
export async function endPlannedInStore({ db, storeId }: StoreTx, now: Date): Promise<void> {
  await sql`update experiments set ended_at = planned_end_at, end_reason = 'planned'
    where store_id = ${storeId} and ended_at is null and planned_end_at <= ${now}`.execute(db)
}

/** Values fixed at the start: the longest delay of an automatic message, in minutes, and the cap. */
export async function selectFixedValues(
  { db, storeId }: StoreDb,
  { currency, since }: { currency: string; since: Date },
): Promise<{ last_minutes: number; orders: number; cap: number | null }> {
  const rows = await sql<{ last_minutes: number; orders: number; cap: number | null }>`
    select coalesce((select max(t.delay_minutes) from flow_steps t join flows f on f.store_id = t.store_id and f.id = t.flow_id
      where t.store_id = ${storeId} and t.removed_at is null and f.is_on), 0) as last_minutes, count(*)::int as orders,
      case when count(*) >= 200 then percentile_disc(0.99) within group (order by o.net_minor)
        else 10 * percentile_disc(0.5) within group (order by o.net_minor) end as cap
    from orders o where o.store_id = ${storeId} and o.purchased_at > ${since} and o.kind = 'purchase' and not o.is_staff
      and o.currency = ${currency} and o.net_minor > 0`.execute(db)
  return rows.rows[0]!
}

export interface Assignment {
  shopperId: string
  arm: 'treated' | 'control'
}

/**
 * Assigns shoppers without an arm, with their identity at this moment. Waits for concurrent merges, after which the
 * shopper has the other's arm. Addresses come first; without one, the cart tokens of the shopper's own browser count. A
 * checkout's token is not used, because our link leads another browser to the same checkout.
 */
export async function insertAssignments(
  { db, storeId }: StoreDb,
  drawn: readonly Assignment[],
  { experimentId, now }: { experimentId: string; now: Date },
): Promise<void> {
  await sql`
    with wanted as (select distinct on (d."shopperId") d."shopperId" as id, d.arm
      from jsonb_to_recordset(${JSON.stringify(drawn)}::jsonb) as d("shopperId" uuid, arm text)),
    there as materialized (select s.id from shoppers s where s.store_id = ${storeId} and s.id in (select id from wanted)
      order by s.id for share)
    insert into assignments (store_id, experiment_id, id, shopper_id, arm, at, window_ends_at, keys)
    select ${storeId}, x.id, md5(x.id || ':' || w.id)::uuid, w.id, w.arm, ${now}::timestamptz,
      ${now}::timestamptz + x.window_days * interval '1 day', coalesce(k.addresses, k.carts, '{}')
    from experiments x cross join there join wanted w on w.id = there.id
    cross join lateral (select array_agg(k.kind || ':' || k.value) filter (where k.kind in ('email', 'phone', 'customer')) as addresses,
      array_agg(k.kind || ':' || k.value) filter (where k.kind = 'cart' and k.value not like 'checkout:%') as carts
      from shopper_keys k where k.store_id = ${storeId} and k.shopper_id = w.id) k
    where x.store_id = ${storeId} and x.id = ${experimentId} and x.ended_at is null
      and not exists (select 1 from assignments a where a.store_id = x.store_id and a.experiment_id = x.id and a.shopper_id = w.id)
    on conflict do nothing`.execute(db)
}
