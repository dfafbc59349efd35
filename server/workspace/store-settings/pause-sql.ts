import { MOST_COUNTED } from '../../../shared/sending.ts'
import { type StoreDb, sql } from '../../core/db/db.ts'
import { isHeld } from '../../messages/messages/fragments.ts'

export async function pause({ db, storeId }: StoreDb, userId: string, now: Date): Promise<void> {
  await sql`update stores set sending_paused_at = ${now}, sending_paused_by = ${userId}
    where id = ${storeId} and sending_paused_at is null`.execute(db)
}

export async function resume({ db, storeId }: StoreDb): Promise<void> {
  await sql`update stores set sending_paused_at = null, sending_paused_by = null where id = ${storeId}`.execute(db)
}

export async function readPause({
  db,
  storeId,
}: StoreDb): Promise<{ paused_at: Date; paused_by: string | null } | undefined> {
  const { rows } = await sql<{ paused_at: Date; paused_by: string | null }>`
    select s.sending_paused_at as paused_at, u.name as paused_by
    from stores s left join users u on u.id = s.sending_paused_by
    where s.id = ${storeId} and s.sending_paused_at is not null`.execute(db)
  return rows[0]
}

/** Messages that the pause holds: those that became due meanwhile. */
export async function countPaused({
  db,
  storeId,
}: StoreDb): Promise<{ waiting: number; next_expires_at: Date | null }> {
  const { rows } = await sql<{ waiting: number; next_expires_at: Date | null }>`
    select count(*)::int as waiting, min(expires_at) as next_expires_at from (
      select expires_at from messages
      where store_id = ${storeId} and ${isHeld('messages')} and reason = 'sending_paused'
      order by wake_at limit ${MOST_COUNTED}) held`.execute(db)
  return rows[0]!
}
