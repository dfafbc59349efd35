import { insertNotificationsFrom } from '../../access/notifications/public.ts'
import { type Db, type StoreTx, sql } from '../../core/db/public.ts'
import type { ShopperKey } from '../../shoppers/shoppers/public.ts'

import { FIRST_PRODUCT, zoneOfCart } from './sql.ts'

// SQL of the periodic jobs. The first of each kind reads all stores by its own index.

/** If no flow has conditions, the first flow gets cart `d` (decision 51). Otherwise the flow is chosen later. */
const FIRST_WITHOUT_CONDITIONS = sql`(select t.id from taking t where d.last_activity_at >= t.takes_from order by t.position, t.id limit 1)`

/**
 * Also sets `lost_at` from the flow steps planned next (S5). That saves nearly every cart a second update with its
 * index entries. `moveLostAt` corrects the time where earlier messages change it.
 */
export async function abandonDueCarts({ db, storeId }: StoreTx, now: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    with taking as materialized (
      select f.id, f.takes_from, f.position from flows f where f.store_id = ${storeId} and f.kind = 'flow' and f.is_on
        and not exists (select 1 from flows o where o.store_id = ${storeId} and o.kind = 'flow' and o.is_on and o.conditions is not null)),
    lasting as materialized (
      select f.id, f.kind, f.takes_from, max(s.delay_minutes) as minutes from flows f
      join flow_steps s on s.store_id = ${storeId} and s.flow_id = f.id and s.removed_at is null
      join stores r on r.id = ${storeId} and r.is_active
      where f.store_id = ${storeId} and f.is_on group by f.id, f.kind, f.takes_from),
    due as materialized (
      select d.id, d.flow_id, coalesce(d.flow_id, ${FIRST_WITHOUT_CONDITIONS}) as taken_by from (
        select id, flow_id, last_activity_at from carts where store_id = ${storeId} and status = 'active' and abandon_at <= ${now}
        order by abandon_at limit ${limit} for update skip locked) d),
    moved as (
      update carts c set status = 'abandoned', abandoned_at = c.abandon_at, abandoned_minor = c.value_minor, version = c.version + 1,
        flow_id = due.taken_by, flow_choice = case when due.taken_by is not null and due.flow_id is null
          then jsonb_build_object('at', ${now}::timestamptz, 'flows', jsonb_build_array(jsonb_build_object('id', due.taken_by, 'holds', true)),
            'values', '{}'::jsonb) else c.flow_choice end,
        lost_at = coalesce((select c.last_activity_at + max(l.minutes) * interval '1 minute' + interval '7 days' from lasting l
          where c.last_activity_at >= l.takes_from and (l.kind = 'push' or l.id = due.taken_by)), c.lost_at)
      from due where c.store_id = ${storeId} and c.id = due.id returning c.id, c.abandoned_at),
    logged as (
      insert into cart_events (store_id, id, cart_id, at, kind)
      select ${storeId}, gen_random_uuid(), id, abandoned_at, 'abandoned' from moved)
    select id from moved`.execute(db)
  return rows.rows.map((row) => row.id)
}

/** Notifies of recently abandoned carts only: imported old carts are not news. */
export async function notifyAbandoned({ db, storeId }: StoreTx, cartIds: readonly string[], now: Date): Promise<void> {
  await insertNotificationsFrom(
    sql`
    select ${storeId}, gen_random_uuid(), 'cart_abandoned', jsonb_build_object(
        'cartId', c.id, 'customer', c.customer_name, 'product', ${FIRST_PRODUCT}, 'itemCount', c.item_count, 'value', c.value_minor, 'currency', c.currency,
        'timestamp', to_char(c.abandoned_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')), ${now}, ${zoneOfCart}
    from carts c where c.store_id = ${storeId} and c.id = any(${[...cartIds]}::uuid[])
      and c.abandoned_at > ${now}::timestamptz - interval '1 day'`,
    true,
  ).execute(db)
}

export async function selectLostCarts(db: Db, now: Date, limit: number) {
  const rows = await sql<{ store_id: string; id: string; lost_at: Date; keys: ShopperKey[] }>`
    select c.store_id, c.id, c.lost_at,
      (select jsonb_agg(jsonb_build_object('kind', k.kind, 'value', k.value)) from shopper_keys k
        where k.store_id = c.store_id and k.shopper_id = c.shopper_id) as keys
    from carts c where c.status = 'abandoned' and c.lost_at <= ${now} order by c.lost_at limit ${limit}`.execute(db)
  return rows.rows
}
