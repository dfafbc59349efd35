import { notify } from '../../access/notifications/public.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './composing-sql.ts'
import type * as load from './evaluate-sql.ts'

/** Closes messages whose text crashed the renderer, and notifies the owner once for all of them. */
export async function closeUnusable(
  deps: Pick<Deps, 'log' | 'now'>,
  store: StoreDb<Db>,
  claim: string,
  rows: readonly load.ClaimedRow[],
): Promise<void> {
  const now = deps.now()
  const closed = await transact(store, async (tx) => {
    const moved = await sql.closeUnusable(
      tx,
      claim,
      rows.map(({ id }) => id),
      now,
    )
    const ours = rows.filter(({ id }) => moved.has(id))
    if (ours.length > 0) await notifyOwner(tx, ours, now)
    return ours
  })
  for (const { id } of closed) deps.log.error({ storeId: store.storeId, messageId: id }, 'message.template-error')
}

function notifyOwner(tx: StoreTx, rows: readonly load.ClaimedRow[], at: Date): Promise<void> {
  const [{ channel, cart_id: cartId, id: messageId, manual, step }] = rows as [load.ClaimedRow]
  const about = { cartId, messageId, step: manual ? null : step }
  const data = { ...about, cause: 'unrenderable' as const, count: rows.length }
  return notify(tx, { type: `${channel}_failed`, data, at })
}
