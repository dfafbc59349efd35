import type { FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import { type StoreTx, sql } from '../../core/db/public.ts'

// SQL for choosing a cart's flow.

export interface ActiveFlow {
  id: string
  /** The flow matches carts with a last activity at or after this time. */
  takes_from: Date
  conditions: FlowConditions | null
}

/** Active flows in order of priority. */
export async function selectActiveFlows({ db, storeId }: StoreTx): Promise<ActiveFlow[]> {
  const { rows } = await sql<ActiveFlow>`
    select id, takes_from, conditions from flows where store_id = ${storeId} and kind = 'flow' and is_on and takes_from is not null
    order by position, id`.execute(db)
  return rows
}

/**
 * Locks the store's flows until the transaction ends. A concurrent edit would not see the messages planned here: a
 * removed step would keep messages and an added one would get none. Returns false if a flow is being edited.
 */
export async function lockFlows({ db, storeId }: StoreTx): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    with locked as (select id from flows where store_id = ${storeId} order by id for share skip locked)
    select (select count(*) from locked) = (select count(*) from flows where store_id = ${storeId}) as "isLocked"`.execute(
    db,
  )
  return rows[0]!.isLocked
}

export interface CartWithoutFlow {
  id: string
  last_activity_at: Date
}

/** Returns those carts that are abandoned and have no flow. */
export async function selectCartsWithoutFlow(
  { db, storeId }: StoreTx,
  cartIds: readonly string[],
): Promise<CartWithoutFlow[]> {
  const { rows } = await sql<CartWithoutFlow>`
    select id, last_activity_at from carts
    where store_id = ${storeId} and id = any(${[...cartIds]}::uuid[]) and status = 'abandoned' and flow_id is null
    order by id for no key update`.execute(db)
  return rows
}

export interface FlowChoice {
  cartId: string
  flowId: string | null
  record: Record<string, unknown>
}

export async function saveChoices({ db, storeId }: StoreTx, choices: readonly FlowChoice[]): Promise<void> {
  await sql`
    update carts c set flow_id = w."flowId", flow_choice = w.record
    from jsonb_to_recordset(${JSON.stringify(choices)}::jsonb) as w("cartId" uuid, "flowId" uuid, record jsonb)
    where c.store_id = ${storeId} and c.id = w."cartId" and c.flow_id is null`.execute(db)
}

/** If the remaining cart has no flow, it inherits the merged cart's. Another flow would start over (S6). */
export async function inheritFlow({ db, storeId }: StoreTx, fromId: string, intoId: string): Promise<void> {
  await sql`
    update carts c set flow_id = o.flow_id, flow_choice = o.flow_choice from carts o
    where c.store_id = ${storeId} and c.id = ${intoId} and c.flow_id is null
      and o.store_id = ${storeId} and o.id = ${fromId} and o.flow_id is not null`.execute(db)
}
