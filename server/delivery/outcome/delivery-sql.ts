import { type AccountDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { MessageState } from '../../core/schema/public.ts'
import type { DeliveryReport, TextChannelName } from '../../messages/channels/public.ts'
import {
  isAccepted,
  isDelivered,
  isFailed,
  isMovedByReport,
  isUnknown,
  reportedState,
  wasAttempted,
} from '../../messages/messages/public.ts'

// SQL for delivery reports of SMS and WhatsApp.

/** Stores a report. A repeated one changes nothing. */
export async function keepReport({ db, accountId }: AccountDb, report: DeliveryReport): Promise<void> {
  await db
    .insertInto('delivery_reports')
    .values({
      account_id: accountId,
      channel: report.channel,
      provider_id: report.providerId,
      status: report.status,
      code: report.code,
      suppress: report.suppress ?? null,
      at: report.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export interface ReportedMessage {
  store_id: string
  id: string
  shopper_id: string
}

/** Finds the message of a report by our own message id. */
export async function findReportedMessage(
  { db, accountId }: AccountDb,
  { channel, messageId }: DeliveryReport,
): Promise<ReportedMessage | undefined> {
  const rows = await sql<ReportedMessage>`
    select store_id, id, shopper_id from messages
    where store_id in (select id from stores where account_id = ${accountId}) and id = ${messageId!} and channel = ${channel}
      and channel in ('sms', 'whatsapp')`.execute(db)
  return rows.rows[0]
}

/** The transaction that records the provider's reply takes the same lock. */
export async function lockMessage({ db, storeId }: StoreTx, id: string): Promise<void> {
  await sql`select 1 from messages where store_id = ${storeId} and id = ${id} for no key update`.execute(db)
}

/**
 * Sets the provider's id on a message without a recorded reply, found by our own id: the reply was lost, is late, or a
 * click proved delivery first. Erased messages are left alone.
 */
export async function setProviderId({ db, storeId }: StoreTx, report: DeliveryReport): Promise<void> {
  await sql`update messages set provider_id = ${report.providerId}
    where store_id = ${storeId} and id = ${report.messageId!} and provider_id is null
      and ${wasAttempted('messages')} and not ${isDelivered('messages')} and not ${isFailed('messages')} and to_address is not null`.execute(
    db,
  )
}

/** Finds the messages with these provider ids whose state a report may still change. */
export async function reportedMessages(
  { db, accountId }: AccountDb,
  channel: TextChannelName,
  providerIds: readonly string[],
): Promise<ReportedMessage[]> {
  const rows = await sql<ReportedMessage>`
    select m.store_id, m.id, m.shopper_id from messages m
    join stores s on s.id = m.store_id and s.account_id = ${accountId}
    where m.provider_id = any(${[...providerIds]}::text[]) and m.channel = ${channel} and m.channel in ('sms', 'whatsapp')
      and (${isAccepted('m')} or ${isUnknown('m')})
    order by m.store_id, m.id`.execute(db)
  return rows.rows
}

export interface MovedMessage {
  id: string
  cart_id: string | null
  state: MessageState
  to_address: string
  code: string | null
  suppress: 'unsubscribed' | 'invalid' | null
}

/**
 * Sets each message's state from all its reports: failed if one says so, else delivered, else sent. So neither order
 * nor repetition of reports matters. Returns the changed messages.
 */
export async function applyReports(
  { db, storeId }: StoreTx,
  accountId: string,
  messageIds: readonly string[],
  now: Date,
): Promise<MovedMessage[]> {
  const rows = await sql<MovedMessage>`
    with said as (
      select m.id, ${reportedState({
        failed: sql`bool_or(r.status = 'failed')`,
        delivered: sql`bool_or(r.status in ('delivered', 'read'))`,
      })} as state,
        max(r.code) filter (where r.status = 'failed') as code, max(r.suppress) as suppress
      from messages m join delivery_reports r on r.account_id = ${accountId} and r.channel = m.channel
        and r.provider_id = m.provider_id
      where m.store_id = ${storeId} and m.id = any(${[...messageIds]}::uuid[]) group by m.id),
    moved as (
      update messages m set state = said.state, updated_at = ${now}, finished_at = coalesce(m.finished_at, ${now}),
        reason = case when ${isFailed('said')} then 'undelivered' || coalesce(':' || said.code, '') end
      from said
      where m.store_id = ${storeId} and m.id = any(${[...messageIds]}::uuid[]) and m.id = said.id and ${isMovedByReport('m')}
      returning m.id, m.cart_id, m.state, m.reason, m.to_address, said.code, said.suppress),
    recorded as (
      insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
      select ${storeId}, gen_random_uuid(), id, ${now}, 'result', coalesce(reason, case when ${isDelivered('moved')} then 'delivered' else 'accepted' end),
        jsonb_build_object('code', code) from moved)
    select * from moved order by id`.execute(db)
  return rows.rows
}

export async function keepInbound(
  { db, accountId }: AccountDb,
  inbound: { channel: TextChannelName; hash: Buffer; at: Date },
): Promise<void> {
  await sql`
    insert into text_windows as w (account_id, channel, address_hash, inbound_at)
    values (${accountId}, ${inbound.channel}, ${inbound.hash}, ${inbound.at})
    on conflict (account_id, channel, address_hash)
      do update set inbound_at = greatest(w.inbound_at, excluded.inbound_at)`.execute(db)
}
