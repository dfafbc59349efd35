import type { StoreTx } from '../../core/db/public.ts'
import * as sql from './plan-sql.ts'

// Messages to a person without a cart. They are sent like all messages; cart rules do not apply.

export interface MessagePlan extends Omit<sql.NewMessages, 'origin' | 'rows'> {
  /**
   * Each person gets at most one message of this origin (D1); planning again adds only missing ones. For a campaign:
   * its run.
   */
  origin:
    | ({ kind: 'manual'; id: string } & sql.MessageRequest)
    | { kind: 'campaign'; id: string; stepId: string; step: number }
  /** Each person with the id of their message. */
  people: sql.NewMessages['rows']
  /** A purchase after this time cancels them; null: never. */
  purchasesSince: Date | null
}

/**
 * Plans one message for each person who has none of this origin yet, and returns the new messages. The caller calls
 * `scheduleNextRun` at the end of its transaction.
 */
export async function planMessages(
  tx: StoreTx,
  { origin, people, ...plan }: MessagePlan,
): Promise<sql.PlannedMessage[]> {
  const rows = [...new Map(people.map((person) => [person.shopperId, person])).values()]
  if (origin.kind === 'campaign') return sql.insertWithoutCart(tx, { ...plan, rows, origin })
  const { kind, id, ...request } = origin
  const planned = await sql.insertWithoutCart(tx, { ...plan, rows, origin: { kind, id, stepId: null, step: 1 } })
  const ids = planned.map(({ id: messageId }) => messageId)
  if (ids.length > 0) await sql.insertRequests(tx, ids, { ...plan, ...request })
  return planned
}
