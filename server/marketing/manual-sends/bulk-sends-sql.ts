import type { SendChannel } from '../../../shared/reminders.ts'
import { type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'
import { outcomeWord } from '../../messages/messages/fragments.ts'

// Requests for many messages: SQL and nothing else. What became of each is read from its message's row.

export interface JobRow {
  id: string
  channel: SendChannel
  send_at: Date | null
  /** Of a discount mail, whose items are people; null: carts. */
  coupon_id: string | null
  cart_url: string | null
  missing: string[]
  created_at: Date
}

/** What a discount mail has and a reminder has not. */
export interface Offer {
  couponId: string | null
  /** The shop's page its link leads to; null: the cart, or the shop. */
  cartUrl: string | null
}

export async function insertJob(
  { db, storeId }: StoreTx,
  job: { id: string; channel: SendChannel; askedBy: string; sendAt: Date | null; now: Date } & Offer,
): Promise<void> {
  await db
    .insertInto('bulk_sends')
    .values({
      store_id: storeId,
      id: job.id,
      channel: job.channel,
      asked_by: job.askedBy,
      send_at: job.sendAt,
      coupon_id: job.couponId,
      cart_url: job.cartUrl,
      created_at: job.now,
    })
    .execute()
}

/** Of what was asked for, what is no cart (or no customer) of the store. */
export async function noteMissing({ db, storeId }: StoreTx, jobId: string, ids: string[]): Promise<void> {
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

/** `waiting`: something is still expected of it. */
const OUTCOME = outcomeWord('m')

/** Reasons of the address, the person or the cart that another try meets again. An unsubscribe may be taken back. */
const FINAL = [
  ...['suppressed_hard_bounce', 'suppressed_invalid', 'suppressed_complaint', 'suppressed_erased'],
  ...['bounced', 'complaint', 'purchased', 'emptied', 'merged', 'whatsapp_marketing_refused', 'sms_once_per_cart'],
]

/** Failed, for a reason that may pass. A refusal that names a bad address (RFC 3463, 5.1.x) does not. */
const mayBeRetried = sql`${OUTCOME} = 'failed' and coalesce(m.reason, '') <> all(${FINAL}::text[])
  and not (m.reason like 'rejected:%' and coalesce(m.provider_response, '') ~ '\\m5\\.1\\.[0-6]\\M')`

/** Each item's message is looked up by itself: just after thousands were written, statistics know nothing of them. */
const currentOf = (storeId: string, jobId: string) => sql`manual_messages r
  cross join lateral (select m.id, m.cart_id, m.shopper_id, m.state, m.reason, m.to_address, m.provider_response from messages m
    where m.store_id = ${storeId} and m.id = r.message_id offset 0) m
  where r.store_id = ${storeId} and r.job_id = ${jobId} and r.is_current`

export async function countOutcomes({ db, storeId }: StoreDb, jobId: string): Promise<Record<string, number>> {
  const rows = await sql<{ outcome: string; count: number }>`
    select ${OUTCOME} as outcome, count(*)::int as count from ${currentOf(storeId, jobId)} group by 1`.execute(db)
  return Object.fromEntries(rows.rows.map((row) => [row.outcome, row.count]))
}

export async function countRetryable({ db, storeId }: StoreDb, jobId: string): Promise<number> {
  const rows = await sql<{ n: number }>`
    select count(*)::int as n from ${currentOf(storeId, jobId)} and ${mayBeRetried}`.execute(db)
  return rows.rows[0]!.n
}

export interface ItemRow {
  /** null: about no cart. */
  cart_id: string | null
  /** null: a cart that was not found. */
  shopper_id: string | null
  customer: string | null
  to_address: string | null
  message_id: string | null
  outcome: 'waiting' | 'sent' | 'unknown' | 'failed'
  reason: string | null
  /** What the provider said last. */
  response: string | null
}

/** A page of the items in a fixed order; ids that are no cart, or no customer, of the store are failed ones. */
export async function itemsOf(
  { db, storeId }: StoreDb,
  jobId: string,
  page: { outcome: string | null; limit: number; offset: number },
): Promise<ItemRow[]> {
  const rows = await sql<ItemRow>`
    select i.cart_id, i.shopper_id, coalesce(c.customer_name, nullif(concat_ws(' ', s.first_name, s.last_name), '')) as customer,
      i.to_address, i.message_id, i.outcome, i.reason, i.response from (
      select r.cart_id, m.shopper_id, m.cart_id as whose, coalesce(m.to_address, r.to_address) as to_address, m.id as message_id,
        ${OUTCOME} as outcome, m.reason, m.provider_response as response
      from ${currentOf(storeId, jobId)}
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
 * Takes the failed items that may still be sent out of the job, for new messages to stand in their place; nobody else takes the same. Of a discount mail not those
 * of people who turned out to be one with somebody whom it reached, or still may.
 */
export async function takeFailed({ db, storeId }: StoreTx, jobId: string): Promise<TakenItem[]> {
  const rows = await sql<TakenItem>`
    update manual_messages u set is_current = false
    from (select r.message_id, m.shopper_id from ${currentOf(storeId, jobId)} and ${mayBeRetried}
      and (r.coupon_id is null or m.shopper_id not in (select m.shopper_id from ${currentOf(storeId, jobId)} and ${OUTCOME} <> 'failed'))
      order by r.message_id for update of r) failed
    where u.store_id = ${storeId} and u.message_id = failed.message_id and u.is_current
    returning u.message_id, u.cart_id, failed.shopper_id, u.template_id, u.subject, u.body, u.overrides_holdout`.execute(
    db,
  )
  return rows.rows
}

/** Those of them nothing new stands for. */
export async function putBack({ db, storeId }: StoreTx, messageIds: readonly string[]): Promise<void> {
  await sql`update manual_messages set is_current = true
    where store_id = ${storeId} and message_id = any(${[...messageIds]}::uuid[])`.execute(db)
}

export interface TakenItem {
  message_id: string
  cart_id: string | null
  shopper_id: string
  template_id: string | null
  subject: string | null
  body: string | null
  overrides_holdout: boolean
}

/** Thousands of rows at once are more than statistics of before can be right about; nobody waits for the next vacuum. */
export async function refreshStatistics({ db }: StoreDb): Promise<void> {
  await sql`analyze manual_messages`.execute(db)
  await sql`analyze messages`.execute(db)
}
