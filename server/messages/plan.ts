import type { StoreTx } from '../core/db.ts'
import { newId } from '../core/ids.ts'
import * as sql from './plan-sql.ts'
import { setNextDue } from './sql.ts'

// Messages about no cart: for a person. They go the way of all messages; the rules about carts do not concern them.

export interface Plan extends Omit<sql.NewMessages, 'origin' | 'rows'> {
  /** What one person gets at most one message of (D1); asked again it plans for those who have none. */
  origin: { kind: 'manual'; id: string } & sql.Request
  shopperIds: readonly string[]
  /** A purchase since then ends them; null: none does. */
  purchasesSince: Date | null
}

/**
 * One message for each of these people of the store who has none of this origin yet. Answers their ids. The last call of its transaction:
 * it says when the store is to be looked at next.
 */
export async function planMessages(tx: StoreTx, { origin, shopperIds, ...plan }: Plan): Promise<string[]> {
  const rows = [...new Set(shopperIds)].map((shopperId) => ({ id: newId(), shopperId }))
  const { kind, id, ...request } = origin
  const made = await sql.insertWithoutCart(tx, { ...plan, rows, origin: { kind, id, stepId: null, step: 1 } })
  if (made.length > 0) await sql.insertRequests(tx, made, { ...plan, ...request })
  await setNextDue(tx)
  return made
}
