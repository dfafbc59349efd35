import type { StoreTx } from '../../core/db/db.ts'
import * as sql from './plan-sql.ts'

// Messages about no cart: for a person. They go the way of all messages; the rules about carts do not concern them.

export type { Planned } from './plan-sql.ts'

export interface Plan extends Omit<sql.NewMessages, 'origin' | 'rows'> {
  /** What one person gets at most one message of (D1); asked again it plans for those who have none. Of a campaign: its run. */
  origin:
    | ({ kind: 'manual'; id: string } & sql.Request)
    | { kind: 'campaign'; id: string; stepId: string; step: number }
  /** With the ids that their messages get. */
  people: sql.NewMessages['rows']
  /** A purchase since then ends them; null: none does. */
  purchasesSince: Date | null
}

/**
 * One message for each of these people of the store who has none of this origin yet; answers these messages. `scheduleNextLook` is still to be
 * called, after all that the transaction plans.
 */
export async function planMessages(tx: StoreTx, { origin, people, ...plan }: Plan): Promise<sql.Planned[]> {
  const rows = [...new Map(people.map((person) => [person.shopperId, person])).values()]
  if (origin.kind === 'campaign') return sql.insertWithoutCart(tx, { ...plan, rows, origin })
  const { kind, id, ...request } = origin
  const made = await sql.insertWithoutCart(tx, { ...plan, rows, origin: { kind, id, stepId: null, step: 1 } })
  const ids = made.map(({ id: messageId }) => messageId)
  if (ids.length > 0) await sql.insertRequests(tx, ids, { ...plan, ...request })
  return made
}
