import type { MessageView } from '../../shared/carts.ts'
import type { StoreDb } from '../core/db.ts'
import { decisionsOf, messagesOfShopper } from './page-sql.ts'
import { presentMessage } from './present.ts'

/** The newest messages of one person with their decision records, for the person's page. */
export async function readMessagesOfShopper(
  store: StoreDb,
  shopperId: string,
  most: number,
): Promise<{ rows: MessageView[]; total: number }> {
  const rows = await messagesOfShopper(store, shopperId, most)
  const decisions = await decisionsOf(
    store,
    rows.map(({ id }) => id),
  )
  return { rows: rows.map((row) => presentMessage(row, decisions)), total: rows[0]?.total ?? 0 }
}
