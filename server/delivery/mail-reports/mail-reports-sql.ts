import { type Db, type StoreTx, sql } from '../../core/db/public.ts'
import { isClaimed, isFailed, isMovedByReport, isSending, reportedState } from '../../messages/messages/public.ts'

// SQL for reports about sent mails.

/** A report waits while the mail is claimed or in flight. */
const isSettledMail = (row: 'messages' | 'm') => sql`not (${isClaimed(row)} or ${isSending(row)})`

export interface MailReportRow {
  messageId: string
  /** `opt_out`: the shopper has unsubscribed at the provider, which drops further mail itself. */
  kind: 'delivered' | 'soft' | 'hard' | 'refused' | 'complaint' | 'opt_out'
  source: string
  status: string | null
  words: string
  at: Date
}

/** Stores a report. Returns false if it was stored before. */
export async function keepMailReport({ db, storeId }: StoreTx, row: MailReportRow): Promise<boolean> {
  const rows = await sql`
    insert into mail_reports (store_id, message_id, kind, source, status, words, at)
    values (${storeId}, ${row.messageId}, ${row.kind}, ${row.source}, ${row.status}, ${row.words}, ${row.at})
    on conflict do nothing returning 1`.execute(db)
  return rows.rows.length > 0
}

/** Adds the suppression beside others: a complaint stays when the person revokes an unsubscribe. */
export async function suppressReported(
  { db }: StoreTx,
  row: {
    accountId: string
    hash: Buffer
    address: string
    reason: 'hard_bounce' | 'complaint' | 'unsubscribed'
    source: string
    at: Date
  },
): Promise<void> {
  await sql`insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at)
    values (${row.accountId}, ${row.hash}, 'email', ${row.address}, ${row.reason}, ${row.source}, ${row.at})
    on conflict do nothing`.execute(db)
}

export interface MovedMail {
  id: string
  cart_id: string | null
  to_address: string
  state: string
  previous: string
  words: string | null
}

/**
 * Sets a mail's state from all its reports: failed if one says so, else delivered, else sent. So neither order nor
 * repetition of reports matters. A mail in flight waits. Each report gets one record.
 */
export async function applyMailReports({ db, storeId }: StoreTx, messageId: string, now: Date): Promise<MovedMail[]> {
  const rows = await sql<MovedMail>`
    with locked as materialized (
      select id, state from messages where store_id = ${storeId} and id = ${messageId} and channel = 'email'
        and ${isSettledMail('messages')} for update),
    said as (
      select ${reportedState({
        failed: sql`bool_or(r.kind in ('hard', 'refused'))`,
        delivered: sql`bool_or(r.kind in ('delivered', 'complaint', 'opt_out'))`,
      })} as state,
        bool_or(r.kind = 'hard') as is_hard, max(r.words) filter (where r.kind in ('hard', 'refused')) as words
      from mail_reports r where r.store_id = ${storeId} and r.message_id = ${messageId}),
    moved as (
      update messages m set state = said.state, updated_at = ${now}, finished_at = coalesce(m.finished_at, ${now}),
        reason = case when ${isFailed('said')} then case when said.is_hard then 'bounced' else 'bounced:refused' end end,
        provider_response = coalesce(said.words, m.provider_response)
      from said, locked l
      where m.store_id = ${storeId} and m.id = l.id
        and ${isMovedByReport('l')}
      returning m.id, m.cart_id, m.to_address, m.state, l.state as previous, said.words),
    applied as (
      update mail_reports r set applied_at = ${now} from locked l
      where r.store_id = ${storeId} and r.message_id = l.id and r.applied_at is null
      returning r.kind, r.source, r.status, r.words),
    recorded as (
      insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
      select ${storeId}, gen_random_uuid(), ${messageId}, ${now}, 'result',
        case when kind = 'hard' then 'bounced' when kind = 'refused' then 'bounced:refused' when kind = 'soft' then 'bounced:soft'
          else kind end,
        jsonb_strip_nulls(jsonb_build_object('response', words, 'status', status, 'source', source))
      from applied)
    select * from moved`.execute(db)
  return rows.rows
}

/** Lists settled mails with unapplied reports. */
export async function listWaitingMailReports(
  db: Db,
): Promise<{ store_id: string; message_id: string; shopper_id: string }[]> {
  const rows = await sql<{ store_id: string; message_id: string; shopper_id: string }>`
    select distinct r.store_id, r.message_id, m.shopper_id from mail_reports r
    join messages m on m.store_id = r.store_id and m.id = r.message_id and ${isSettledMail('m')}
    where r.applied_at is null limit 500`.execute(db)
  return rows.rows
}
