import type { FlowConditions } from '../../../shared/flow-conditions.ts'
import { type StoreTx, sql } from '../../core/db/db.ts'

// The flow of a cart: SQL and nothing else.

export interface TakingFlow {
  id: string
  /** Carts whose last activity is at or after it. */
  takes_from: Date
  conditions: FlowConditions | null
}

/** Those that are on, in the order in which they are asked. */
export async function takingFlows({ db, storeId }: StoreTx): Promise<TakingFlow[]> {
  const { rows } = await sql<TakingFlow>`
    select id, takes_from, conditions from flows where store_id = ${storeId} and kind = 'flow' and is_on and takes_from is not null
    order by position, id`.execute(db)
  return rows
}

/**
 * Keeps the store's flows as they are until the transaction ends. An edit that ran beside it would not see what is planned here, nor this the
 * edit: a removed step would keep messages, an added one get none. false: one is being edited.
 */
export async function keepFlows({ db, storeId }: StoreTx): Promise<boolean> {
  const { rows } = await sql<{ isKept: boolean }>`
    with kept as (select id from flows where store_id = ${storeId} order by id for share skip locked)
    select (select count(*) from kept) = (select count(*) from flows where store_id = ${storeId}) as "isKept"`.execute(
    db,
  )
  return rows[0]!.isKept
}

export interface UnchosenCart {
  id: string
  last_activity_at: Date
}

/** Of these carts, those that are abandoned and belong to no flow. */
export async function unchosen({ db, storeId }: StoreTx, cartIds: readonly string[]): Promise<UnchosenCart[]> {
  const { rows } = await sql<UnchosenCart>`
    select id, last_activity_at from carts
    where store_id = ${storeId} and id = any(${[...cartIds]}::uuid[]) and status = 'abandoned' and flow_id is null
    order by id for no key update`.execute(db)
  return rows
}

export interface Choice {
  cartId: string
  flowId: string | null
  record: Record<string, unknown>
}

export async function saveChoices({ db, storeId }: StoreTx, choices: readonly Choice[]): Promise<void> {
  await sql`
    update carts c set flow_id = w."flowId", flow_choice = w.record
    from jsonb_to_recordset(${JSON.stringify(choices)}::jsonb) as w("cartId" uuid, "flowId" uuid, record jsonb)
    where c.store_id = ${storeId} and c.id = w."cartId" and c.flow_id is null`.execute(db)
}

/** A cart that belongs to no flow yet goes on with that of the joined one: another would begin anew (S6). */
export async function inheritFlow({ db, storeId }: StoreTx, fromId: string, intoId: string): Promise<void> {
  await sql`
    update carts c set flow_id = o.flow_id, flow_choice = o.flow_choice from carts o
    where c.store_id = ${storeId} and c.id = ${intoId} and c.flow_id is null
      and o.store_id = ${storeId} and o.id = ${fromId} and o.flow_id is not null`.execute(db)
}
