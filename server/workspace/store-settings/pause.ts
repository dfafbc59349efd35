import type { SendingPause } from '../../../shared/delivery/sending.ts'
import { MAX_COUNTED } from '../../../shared/delivery/sending.ts'
import type { Session } from '../../access/members/public.ts'
import { type Db, type StoreDb, sql, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { isHeld, wakeStoreMessages } from '../../messages/messages/public.ts'

// Pauses all sending of a store (decision 136), effective within a second for all unsent messages (D5). Messages stay
// rows and are decided again on resume; their age limits continue meanwhile (D7).

interface PauseReply {
  pause: SendingPause | null
}

/** A second pause keeps the first member and time. */
export async function pauseSending(deps: Pick<Deps, 'now'>, session: Session, store: StoreDb<Db>): Promise<PauseReply> {
  await pause(store, session.userId, deps.now())
  return viewPause(store)
}

export async function resumeSending(deps: Pick<Deps, 'now'>, store: StoreDb<Db>): Promise<PauseReply> {
  await transact(store, async (tx) => {
    await resume(tx)
    await wakeStoreMessages(tx, ['sending_paused'], deps.now())
  })
  return viewPause(store)
}

export async function viewPause(store: StoreDb<Db>): Promise<PauseReply> {
  const row = await readPause(store)
  if (!row) return { pause: null }
  const { waiting, next_expires_at: nextExpiresAt } = await countPaused(store)
  return {
    pause: {
      pausedAt: row.paused_at.toISOString(),
      pausedBy: row.paused_by,
      waiting,
      nextExpiresAt: nextExpiresAt?.toISOString() ?? null,
    },
  }
}

async function pause({ db, storeId }: StoreDb, userId: string, now: Date): Promise<void> {
  await sql`update stores set sending_paused_at = ${now}, sending_paused_by = ${userId}
    where id = ${storeId} and sending_paused_at is null`.execute(db)
}

async function resume({ db, storeId }: StoreDb): Promise<void> {
  await sql`update stores set sending_paused_at = null, sending_paused_by = null where id = ${storeId}`.execute(db)
}

async function readPause({ db, storeId }: StoreDb): Promise<{ paused_at: Date; paused_by: string | null } | undefined> {
  const { rows } = await sql<{ paused_at: Date; paused_by: string | null }>`
    select s.sending_paused_at as paused_at, u.name as paused_by
    from stores s left join users u on u.id = s.sending_paused_by
    where s.id = ${storeId} and s.sending_paused_at is not null`.execute(db)
  return rows[0]
}

/** Messages that the pause holds: those that became due meanwhile. */
async function countPaused({ db, storeId }: StoreDb): Promise<{ waiting: number; next_expires_at: Date | null }> {
  const { rows } = await sql<{ waiting: number; next_expires_at: Date | null }>`
    select count(*)::int as waiting, min(expires_at) as next_expires_at from (
      select expires_at from messages
      where store_id = ${storeId} and ${isHeld('messages')} and reason = 'sending_paused'
      order by wake_at limit ${MAX_COUNTED}) held`.execute(db)
  return rows[0]!
}
