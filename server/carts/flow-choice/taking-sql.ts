import type { FlowConditions } from '../../../shared/flow-conditions.ts'
import { type StoreDb, sql } from '../../core/db/db.ts'

// Whether a flow takes a cart: SQL and nothing else.

export interface AskedFlow {
  id: string
  name: string
  isOn: boolean
  /** Carts whose last activity is at or after it; null: it was never on. */
  takesFrom: Date | null
  conditions: FlowConditions | null
}

/** In the order in which they are asked, off or on. */
export async function flowsInOrder({ db, storeId }: StoreDb): Promise<AskedFlow[]> {
  const { rows } = await sql<AskedFlow>`
    select id, name, is_on as "isOn", takes_from as "takesFrom", conditions from flows where store_id = ${storeId} and kind = 'flow'
    order by position, id`.execute(db)
  return rows
}

export interface AskedCart {
  flowId: string | null
  lastActivityAt: Date
  /** It was left, and flows have been asked then. */
  isAsked: boolean
}

export async function cartToTake({ db, storeId }: StoreDb, cartId: string): Promise<AskedCart | undefined> {
  const { rows } = await sql<AskedCart>`
    select flow_id as "flowId", last_activity_at as "lastActivityAt", status = 'abandoned' and flow_choice is not null as "isAsked"
    from carts where store_id = ${storeId} and id = ${cartId}`.execute(db)
  return rows[0]
}
