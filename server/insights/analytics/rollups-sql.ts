import { type Db, type RawBuilder, type StoreTx, sql } from '../../core/db/public.ts'

// SQL of rollups (Way D): counts per store, quarter of an hour (`slot`) and currency. Triggers on `carts` and `orders`
// write changes into `rollup_changes` in the same transaction. This file folds them into `rollups` and `rollup_days`,
// reads them and recounts them.

export const MEASURES = sql`abandoned, abandoned_recovered, recovered, attributed_minor, attributed_orders`
const SUMS = sql`sum(abandoned), sum(abandoned_recovered), sum(recovered), sum(attributed_minor), sum(attributed_orders)`

/** Key of the advisory lock that keeps fold and recount apart, until the end of the transaction. */
const LOCK = 731_205_482

/**
 * Folds the recorded changes into the rollups; later rows wait for the next fold. Returns false while another process
 * holds the lock.
 */
export async function foldRollups(db: Db): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{
      isMine: boolean
    }>`select pg_try_advisory_xact_lock(${LOCK}::bigint) as "isMine"`.execute(tx)
    if (!rows[0]!.isMine) return false
    await sql`
      with changes as (delete from rollup_changes c using stores s where s.id = c.store_id returning c.*),
      days as (${add('rollup_days', 'day', sql`date_trunc('day', slot, 'UTC')`, sql`where slot > '-infinity'`)})
      ${add('rollups', 'slot', sql`slot`, sql``)}`.execute(tx)
    await sql`delete from rollup_changes c where not exists (select 1 from stores s where s.id = c.store_id)`.execute(
      tx,
    )
    return true
  })
}

/** Adds in a fixed order, to avoid deadlocks. */
function add(
  table: 'rollups' | 'rollup_days',
  key: 'slot' | 'day',
  at: RawBuilder<unknown>,
  which: RawBuilder<unknown>,
) {
  const sum = (measure: string) =>
    sql`${sql.ref(measure)} = ${sql.table(table)}.${sql.ref(measure)} + excluded.${sql.ref(measure)}`
  return sql`
    insert into ${sql.table(table)} (store_id, ${sql.ref(key)}, currency, ${MEASURES})
    select store_id, ${at}, currency, ${SUMS}
    from changes ${which} group by 1, 2, 3 order by 1, 2, 3
    on conflict (store_id, ${sql.ref(key)}, currency) do update set ${sum('abandoned')}, ${sum('abandoned_recovered')},
      ${sum('recovered')}, ${sum('attributed_minor')}, ${sum('attributed_orders')}`
}

/**
 * Recounts a store from its carts and orders. One statement sees one snapshot, so concurrent writes are neither counted
 * nor removed from the changes. Reads every row; for repairs only.
 */
export async function recount({ db, storeId }: StoreTx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(db)
  await sql`
    with folded as (delete from rollups where store_id = ${storeId}),
    days as (delete from rollup_days where store_id = ${storeId}),
    moved as (delete from rollup_changes where store_id = ${storeId})
    insert into rollup_changes (store_id, slot, currency, ${MEASURES})
    select ${storeId}, slot, currency, ${SUMS}
    from (
      select c.currency, m.slot, m.abandoned, m.abandoned_recovered, m.recovered, 0 as attributed_minor, 0 as attributed_orders
      from carts c, cart_marks(c.status, c.abandoned_at, c.recovered_at, c.is_void) m where c.store_id = ${storeId}
      union all
      select o.currency, m.slot, 0, 0, 0, m.attributed_minor, m.attributed_orders
      from orders o, order_marks(o.touchpoint_id, o.purchased_at, o.net_minor) m where o.store_id = ${storeId}) raw
    group by slot, currency`.execute(db)
}
