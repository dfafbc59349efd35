import type { ChannelName } from '../channels/channel.ts'
import { type Db, type RawBuilder, type StoreTx, sql } from '../core/db.ts'
import {
  becomesScheduled,
  becomesUnknown,
  hasWorker,
  isClaimed,
  isSending,
  isUnsettled,
} from '../messages/fragments.ts'
import type { Answer } from './settle.ts'

// Submissions whose answer nobody will record any more: SQL and nothing else.

/** Whose answer nobody will write down any more. */
export interface Silence {
  /** Of processes that were last heard of before. */
  deadBefore: Date
  /** Sent before, by any process. */
  lateBefore: Date
}

const isSilent = (at: RawBuilder<unknown>, { deadBefore, lateBefore }: Silence) => sql`(${at} < ${lateBefore}
    or not exists (select 1 from workers w where w.id = m.worker_id and w.seen_at >= ${deadBefore}))`

const isAbandoned = (silence: Silence) => sql`
  ${isSending('m')} and not ${isUnsettled('m')} and ${hasWorker('m')} and ${isSilent(sql`m.sending_at`, silence)}`

export interface AbandonedMail {
  store_id: string
  account_id: string
  id: string
  shopper_id: string
  cart_id: string | null
  is_manual: boolean
  step: number
  attempts: number
  to_address: string | null
  worker_id: string
  sending_at: Date
  /** null: none was written down. */
  answer: Answer | null
}

/** Mails in flight that nobody settles: their process ended between two commits, or could not. */
export async function abandonedMails(db: Db, silence: Silence): Promise<AbandonedMail[]> {
  const rows = await sql<AbandonedMail>`
    select m.store_id, s.account_id, m.id, m.shopper_id, m.cart_id, m.origin_kind = 'manual' as is_manual, m.step, m.attempts, m.to_address,
      m.worker_id, m.sending_at, m.answer
    from messages m join stores s on s.id = m.store_id
    where ${isUnsettled('m')} and ${hasWorker('m')} and ${isSilent(sql`m.sending_at`, silence)} order by m.store_id, m.id`.execute(
    db,
  )
  return rows.rows
}

export interface AbandonedSend {
  store_id: string
  account_id: string
  id: string
  shopper_id: string
  channel: ChannelName
}

/**
 * Processes that no longer beat leave what they had in flight behind: accepted or not, nobody knows (D4, D10). Nor does
 * anybody know of an answer that was never written down.
 */
export async function abandonedSends(db: Db, silence: Silence): Promise<AbandonedSend[]> {
  const rows = await sql<AbandonedSend>`
    select m.store_id, s.account_id, m.id, m.shopper_id, m.channel from messages m join stores s on s.id = m.store_id
    where ${isAbandoned(silence)} order by m.store_id, m.id`.execute(db)
  return rows.rows
}

/** Answers which of them nobody has closed, or heard an answer to, meanwhile. */
export async function closeSends(
  { db, storeId }: StoreTx,
  ids: readonly string[],
  silence: Silence,
  now: Date,
): Promise<Set<string>> {
  const rows = await sql<{ id: string }>`
    with gone as (
      update messages m set ${becomesUnknown}, finished_at = ${now}, updated_at = ${now}
      where m.store_id = ${storeId} and m.id = any(${[...ids]}::uuid[]) and ${isAbandoned(silence)}
      returning m.id),
    recorded as (
      insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
      select ${storeId}, gen_random_uuid(), id, ${now}, 'result', 'unknown', '{"cause":"the sending process ended before an answer came"}' from gone)
    select id from gone`.execute(db)
  return new Set(rows.rows.map(({ id }) => id))
}

/** What such a process had only leased was never in flight: it may be looked at again as soon as it is due. */
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
