import type { SendingPause } from '../../shared/sending.ts'
import type { Db, StoreDb } from '../core/db.ts'
import type { Deps } from '../deps.ts'
import type { Session } from '../members/session.ts'
import { wakeIfResumed } from '../messages/messages.ts'
import * as sql from './pause-sql.ts'

// Pause all sending of a store (decision 136): reaches every message not yet handed over within a second (D5). Messages stay rows, so
// resuming decides them anew; their age limits go on meanwhile (D7).

interface PauseReply {
  pause: SendingPause | null
}

/** A second press changes nothing: who paused first, and when, stays. */
export async function pauseSending(deps: Deps, session: Session, store: StoreDb<Db>): Promise<PauseReply> {
  await sql.pause(store, session.userId, deps.now())
  return viewPause(store)
}

/** Woken after the commit: a decision that still saw the pause is then either held already, or sees that it is over. */
export async function resumeSending(deps: Deps, store: StoreDb<Db>): Promise<PauseReply> {
  await sql.resume(store)
  await wakeIfResumed(store, deps.now())
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
