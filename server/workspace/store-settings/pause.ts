import type { SendingPause } from '../../../shared/sending.ts'
import type { Session } from '../../access/members/session.ts'
import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { wakeStoreMessages } from '../../messages/messages/messages.ts'
import * as sql from './pause-sql.ts'

// Pauses all sending of a store (decision 136), effective within a second for all unsent messages (D5). Messages stay
// rows and are decided again on resume; their age limits continue meanwhile (D7).

interface PauseReply {
  pause: SendingPause | null
}

/** A second pause keeps the first member and time. */
export async function pauseSending(deps: Deps, session: Session, store: StoreDb<Db>): Promise<PauseReply> {
  await sql.pause(store, session.userId, deps.now())
  return viewPause(store)
}

export async function resumeSending(deps: Deps, store: StoreDb<Db>): Promise<PauseReply> {
  await transact(store, async (tx) => {
    await sql.resume(tx)
    await wakeStoreMessages(tx, ['sending_paused'], deps.now())
  })
  return viewPause(store)
}

export async function viewPause(store: StoreDb<Db>): Promise<PauseReply> {
  const row = await sql.readPause(store)
  if (!row) return { pause: null }
  const { waiting, next_expires_at: nextExpiresAt } = await sql.countPaused(store)
  return {
    pause: {
      pausedAt: row.paused_at.toISOString(),
      pausedBy: row.paused_by,
      waiting,
      nextExpiresAt: nextExpiresAt?.toISOString() ?? null,
    },
  }
}
