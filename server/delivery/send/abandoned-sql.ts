import { type Db, sql } from '../../core/db/db.ts'
import type { ChannelName } from '../../messages/channels/channel.ts'
import { becomesScheduled, hasWorker, isClaimed, isSending } from '../../messages/messages/fragments.ts'
import type { Answer } from './settle.ts'
import { isAbandoned, type Silence } from './turn-sql.ts'

// SQL for messages of dead processes: claimed ones, and those in flight whose replies are lost.

export interface AbandonedSend {
  store_id: string
  account_id: string
  id: string
  shopper_id: string
  cart_id: string | null
  channel: ChannelName
  is_manual: boolean
  step: number
  attempts: number
  to_address: string | null
  cost_micros: number | null
  cost_currency: string | null
  worker_id: string
  sending_at: Date
  /** null: no reply was stored. */
  answer: Answer | null
}

/** Lists messages in flight that their process did not settle: it died, or its writes failed (D4, D10). */
export async function abandonedSends(db: Db, silence: Silence): Promise<AbandonedSend[]> {
  const rows = await sql<AbandonedSend>`
    select m.store_id, s.account_id, m.id, m.shopper_id, m.cart_id, m.channel, m.origin_kind = 'manual' as is_manual, m.step, m.attempts,
      m.to_address, m.cost_micros, m.cost_currency, m.worker_id, m.sending_at, m.answer
    from messages m join stores s on s.id = m.store_id
    where ${isSending('m')} and ${hasWorker('m')} and ${isAbandoned(silence)} order by m.store_id, m.id`.execute(db)
  return rows.rows
}

/** Releases claimed rows of dead processes; they were never in flight. Returns their number. */
export async function releaseClaimsOfDead(db: Db, deadBefore: Date, now: Date): Promise<number> {
  const rows = await sql<{ count: number }>`
    with freed as (
      update messages m set ${becomesScheduled}, wake_at = greatest(m.due_at, ${now}), updated_at = ${now}
      where ${isClaimed('m')} and ${hasWorker('m')} and not exists (select 1 from workers w where w.id = m.worker_id and w.seen_at >= ${deadBefore})
      returning m.store_id),
    bumped as (
      update send_schedule s set next_due_at = least(s.next_due_at, ${now}::timestamptz)
      where s.store_id in (select store_id from freed))
    select count(*)::int as count from freed`.execute(db)
  return rows.rows[0]!.count
}
