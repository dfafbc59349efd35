import type { FlowChannel, FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import { type StoreTx, sql } from '../../core/db/public.ts'
import type { NewFlow } from './sql.ts'
import type { CouponColumns } from './step-coupons.ts'

// SQL that saves a flow.

export interface StepColumns extends CouponColumns {
  id: string
  step: number
  delay_minutes: number
  channel: FlowChannel
  fallback: readonly FlowChannel[]
  conditions: FlowConditions | null
  template_id: string
}

/**
 * Saves all steps of the flow and removes the others, without giving two steps one position in between. `addedAt`:
 * creation time of new steps; null: they are as old as the flow.
 */
export async function saveSteps(
  { db, storeId }: StoreTx,
  flowId: string,
  { steps, addedAt, now }: { steps: readonly StepColumns[]; addedAt: Date | null; now: Date },
): Promise<void> {
  await sql`update flow_steps set removed_at = ${now}
    where store_id = ${storeId} and flow_id = ${flowId} and removed_at is null`.execute(db)
  await sql`
    insert into flow_steps (store_id, flow_id, id, step, delay_minutes, channel, fallback, conditions, template_id, coupon_id, coupon_fallback,
      coupon_first_order_only, coupon_pause_days, coupon_above_minor, added_at)
    select ${storeId}, ${flowId}, w.id, w.step, w.delay_minutes, w.channel, array(select jsonb_array_elements_text(w.fallback)),
      nullif(w.conditions, 'null'::jsonb), w.template_id, w.coupon_id, w.coupon_fallback, w.coupon_first_order_only, w.coupon_pause_days,
      w.coupon_above_minor, ${addedAt}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(steps)}::jsonb) as w(id uuid, step int, delay_minutes int, channel text, fallback jsonb,
      conditions jsonb, template_id uuid, coupon_id uuid, coupon_fallback text, coupon_first_order_only boolean, coupon_pause_days int,
      coupon_above_minor bigint)
    on conflict (store_id, flow_id, id) do update set step = excluded.step, delay_minutes = excluded.delay_minutes,
      channel = excluded.channel, fallback = excluded.fallback, conditions = excluded.conditions, template_id = excluded.template_id,
      coupon_id = excluded.coupon_id, coupon_fallback = excluded.coupon_fallback,
      coupon_first_order_only = excluded.coupon_first_order_only, coupon_pause_days = excluded.coupon_pause_days,
      coupon_above_minor = excluded.coupon_above_minor, removed_at = null`.execute(db)
}

/** Its steps are saved afterwards. */
export async function insertEmptyFlow({ db, storeId }: StoreTx, flow: NewFlow): Promise<void> {
  const { now, ...columns } = flow
  await db
    .insertInto('flows')
    .values({ store_id: storeId, ...columns, created_at: now, updated_at: now })
    .execute()
}

/** The order in which flows are matched. */
export async function saveOrder({ db, storeId }: StoreTx, flowIds: readonly string[]): Promise<void> {
  await sql`update flows f set position = o.position
    from unnest(${[...flowIds]}::uuid[]) with ordinality as o(id, position)
    where f.store_id = ${storeId} and f.id = o.id and f.position <> o.position`.execute(db)
}

/** Locks all flows of the store against concurrent ordering and additions. */
export async function lockFlows({ db, storeId }: StoreTx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from (select id, position from flows where store_id = ${storeId} and kind = 'flow' order by id for no key update) f
    order by position, id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Deletes its steps, variants and text as well. */
export async function deleteFlow({ db, storeId }: StoreTx, flowId: string): Promise<void> {
  await sql`delete from flow_counts where store_id = ${storeId} and flow_id = ${flowId}`.execute(db)
  await db.deleteFrom('flow_steps').where('store_id', '=', storeId).where('flow_id', '=', flowId).execute()
  await db.deleteFrom('flows').where('store_id', '=', storeId).where('id', '=', flowId).execute()
}
