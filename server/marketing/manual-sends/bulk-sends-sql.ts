import type { SendChannel } from '../../../shared/delivery/reminders.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import { selectOutcome } from '../../messages/messages/public.ts'

// SQL for bulk send jobs. The result of each item is read from its message.

export interface JobRow {
  id: string
  channel: SendChannel
  send_at: Date | null
  /** Set for a discount mail, whose items are people; null: a reminder, whose items are carts. */
  coupon_id: string | null
  cart_url: string | null
  missing: string[]
  created_at: Date
}

/** The fields of a discount mail that a reminder lacks. */
export interface Offer {
  couponId: string | null
  /** The shop page its link opens; null: the cart, or the shop. */
  cartUrl: string | null
}

export async function insertJob(
  { db, storeId }: StoreTx,
  job: { id: string; channel: SendChannel; requestedBy: string; sendAt: Date | null; now: Date } & Offer,
): Promise<void> {
  await db
    .insertInto('bulk_sends')
    .values({
      store_id: storeId,
      id: job.id,
      channel: job.channel,
      asked_by: job.requestedBy,
      send_at: job.sendAt,
      coupon_id: job.couponId,
      cart_url: job.cartUrl,
      created_at: job.now,
    })
    .execute()
}

/** Records requested ids that are not carts (or customers) of the store. */
export async function recordMissing({ db, storeId }: StoreTx, jobId: string, ids: string[]): Promise<void> {
  await db
    .updateTable('bulk_sends')
    .set({ missing: ids })
    .where('store_id', '=', storeId)
    .where('id', '=', jobId)
    .execute()
}

export function readJob({ db, storeId }: StoreDb, jobId: string): Promise<JobRow | undefined> {
  return db
    .selectFrom('bulk_sends')
    .select(['id', 'channel', 'send_at', 'coupon_id', 'cart_url', 'missing', 'created_at'])
    .where('store_id', '=', storeId)
    .where('id', '=', jobId)
    .executeTakeFirst()
}

/** `waiting`: a result is still expected. */
const OUTCOME = selectOutcome('m')

/**
 * Reasons that a retry would meet again, because they concern address, person or cart. An unsubscribe is not one of
 * them: the person can subscribe again.
 */
const FINAL = [
  'suppressed_hard_bounce',
  'suppressed_invalid',
  'suppressed_complaint',
  'suppressed_erased',
  'bounced',
  'complaint',
  'purchased',
  'emptied',
  'merged',
  'whatsapp_marketing_refused',
  'sms_once_per_cart',
]

/** Failed for a reason that can pass. Rejections that name a bad address (RFC 3463, 5.1.x) cannot. */
const mayBeRetried = sql`${OUTCOME} = 'failed' and coalesce(m.reason, '') <> all(${FINAL}::text[])
  and not (m.reason like 'rejected:%' and coalesce(m.provider_response, '') ~ '\\m5\\.1\\.[0-6]\\M')`

/** Looks up each item's message separately: right after a large insert, table statistics are outdated. */
const selectCurrentMessage = (storeId: string, jobId: string) => sql`manual_messages r
  cross join lateral (select m.id, m.cart_id, m.shopper_id, m.state, m.reason, m.to_address, m.provider_response from messages m
    where m.store_id = ${storeId} and m.id = r.message_id offset 0) m
  where r.store_id = ${storeId} and r.job_id = ${jobId} and r.is_current`

export async function countOutcomes({ db, storeId }: StoreDb, jobId: string): Promise<Record<string, number>> {
  const rows = await sql<{ outcome: string; count: number }>`
    select ${OUTCOME} as outcome, count(*)::int as count from ${selectCurrentMessage(storeId, jobId)} group by 1`.execute(
    db,
  )
  return Object.fromEntries(rows.rows.map((row) => [row.outcome, row.count]))
}

export async function countRetryable({ db, storeId }: StoreDb, jobId: string): Promise<number> {
  const rows = await sql<{ n: number }>`
    select count(*)::int as n from ${selectCurrentMessage(storeId, jobId)} and ${mayBeRetried}`.execute(db)
  return rows.rows[0]!.n
}

export interface ItemRow {
  /** null: the message is about no cart. */
  cart_id: string | null
  /** null: the cart was not found. */
  shopper_id: string | null
  customer: string | null
  to_address: string | null
  message_id: string | null
  outcome: 'waiting' | 'sent' | 'unknown' | 'failed'
  reason: string | null
  /** The provider's last response. */
  response: string | null
}

/** A page of items in a fixed order; ids unknown to the store are failed items. */
export async function listItems(
  { db, storeId }: StoreDb,
  jobId: string,
  page: { outcome: string | null; limit: number; offset: number },
): Promise<ItemRow[]> {
  const rows = await sql<ItemRow>`
    select i.cart_id, i.shopper_id, coalesce(c.customer_name, nullif(concat_ws(' ', s.first_name, s.last_name), '')) as customer,
      i.to_address, i.message_id, i.outcome, i.reason, i.response from (
      select r.cart_id, m.shopper_id, m.cart_id as whose, coalesce(m.to_address, r.to_address) as to_address, m.id as message_id,
        ${OUTCOME} as outcome, m.reason, m.provider_response as response
      from ${selectCurrentMessage(storeId, jobId)}
      union all
      select case when j.coupon_id is null then missing.id end, case when j.coupon_id is not null then missing.id end, null, null, null,
        'failed', case when j.coupon_id is null then 'cart_missing' else 'customer_missing' end, null
      from bulk_sends j, unnest(j.missing) as missing(id)
      where j.store_id = ${storeId} and j.id = ${jobId}) i
    left join lateral (select c.customer_name from carts c where c.store_id = ${storeId} and c.id = i.whose) c on true
    left join lateral (select s.first_name, s.last_name from shoppers s
      where s.store_id = ${storeId} and s.id = i.shopper_id and i.whose is null) s on true
    where ${page.outcome}::text is null or i.outcome = ${page.outcome}
    order by i.cart_id, i.shopper_id limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows.rows
}

/**
 * Removes the retryable failed items from the job, for new messages to replace them; a concurrent request finds none.
 * For a discount mail, skips people merged with someone whom it reached or may still reach.
 */
export async function claimFailed({ db, storeId }: StoreTx, jobId: string): Promise<ClaimedItem[]> {
  const rows = await sql<ClaimedItem>`
    update manual_messages u set is_current = false
    from (select r.message_id, m.shopper_id from ${selectCurrentMessage(storeId, jobId)} and ${mayBeRetried}
      and (r.coupon_id is null or m.shopper_id not in (select m.shopper_id from ${selectCurrentMessage(storeId, jobId)} and ${OUTCOME} <> 'failed'))
      order by r.message_id for update of r) failed
    where u.store_id = ${storeId} and u.message_id = failed.message_id and u.is_current
    returning u.message_id, u.cart_id, failed.shopper_id, u.template_id, u.subject, u.body, u.design,
      u.overrides_holdout`.execute(db)
  return rows.rows
}

/** Puts items without a new message back. */
export async function releaseItems({ db, storeId }: StoreTx, messageIds: readonly string[]): Promise<void> {
  await sql`update manual_messages set is_current = true
    where store_id = ${storeId} and message_id = any(${[...messageIds]}::uuid[])`.execute(db)
}

export interface ClaimedItem {
  message_id: string
  cart_id: string | null
  shopper_id: string
  template_id: string | null
  subject: string | null
  body: string | null
  design: MailDocument | null
  overrides_holdout: boolean
}

/** After thousands of new rows, planner statistics are wrong, and autovacuum is too late. */
export async function refreshStatistics({ db }: StoreDb): Promise<void> {
  await sql`analyze manual_messages`.execute(db)
  await sql`analyze messages`.execute(db)
}
