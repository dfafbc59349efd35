import type { FlowConditions } from '../../../shared/flow-conditions.ts'
import { type StoreDb, sql } from '../../core/db/db.ts'

// Statements for explaining why a flow does not match a cart.

export interface FlowState {
  id: string
  name: string
  isOn: boolean
  /** The flow takes carts with a last activity at or after this time; null: it was never on. */
  takesFrom: Date | null
  conditions: FlowConditions | null
}

/** All flows in order of priority, active or not. */
export async function selectFlows({ db, storeId }: StoreDb): Promise<FlowState[]> {
  const { rows } = await sql<FlowState>`
    select id, name, is_on as "isOn", takes_from as "takesFrom", conditions from flows where store_id = ${storeId} and kind = 'flow'
    order by position, id`.execute(db)
  return rows
}

export interface CartState {
  flowId: string | null
  lastActivityAt: Date
  /** The cart was abandoned, and a flow was chosen or not. */
  isAsked: boolean
}

export async function selectCart({ db, storeId }: StoreDb, cartId: string): Promise<CartState | undefined> {
  const { rows } = await sql<CartState>`
    select flow_id as "flowId", last_activity_at as "lastActivityAt", status = 'abandoned' and flow_choice is not null as "isAsked"
    from carts where store_id = ${storeId} and id = ${cartId}`.execute(db)
  return rows[0]
}
