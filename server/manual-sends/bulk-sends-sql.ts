import type { SendChannel } from '../../shared/reminders.ts'
import { type StoreDb, type StoreTx, sql } from '../core/db.ts'
import { hasNotArrived, outcomeWord } from '../messages/fragments.ts'

// Requests for many messages: SQL and nothing else. What became of each is read from its message's row.

export interface JobRow {
  id: string
  channel: SendChannel
  send_at: Date | null
  missing: string[]
  created_at: Date
}

export async function insertJob(
  { db, storeId }: StoreTx,
  job: { id: string; channel: SendChannel; askedBy: string; sendAt: Date | null; now: Date },
): Promise<void> {
  await db
    .insertInto('bulk_sends')
    .values({
      store_id: storeId,
      id: job.id,
      channel: job.channel,
      asked_by: job.askedBy,
      send_at: job.sendAt,
      created_at: job.now,
    })
    .execute()
}

/** Of what was asked for, what is no cart of the store. */
export async function noteMissing({ db, storeId }: StoreTx, jobId: string, cartIds: string[]): Promise<void> {
  await db
    .updateTable('bulk_sends')
    .set({ missing: cartIds })
    .where('store_id', '=', storeId)
    .where('id', '=', jobId)
    .execute()
}

export function readJob({ db, storeId }: StoreDb, jobId: string): Promise<JobRow | undefined> {
  return db
    .selectFrom('bulk_sends')
    .select(['id', 'channel', 'send_at', 'missing', 'created_at'])
    .where('store_id', '=', storeId)
    .where('id', '=', jobId)
    .executeTakeFirst()
}

/** `waiting`: something is still expected of it. */
const OUTCOME = outcomeWord('m')

/** Each item's message is looked up by itself: just after thousands were written, statistics know nothing of them. */
const currentOf = (storeId: string, jobId: string) => sql`manual_messages r
  cross join lateral (select m.id, m.cart_id, m.state, m.reason, m.to_address, m.provider_response from messages m
    where m.store_id = ${storeId} and m.id = r.message_id offset 0) m
  where r.store_id = ${storeId} and r.job_id = ${jobId} and r.is_current`

export async function countOutcomes({ db, storeId }: StoreDb, jobId: string): Promise<Record<string, number>> {
  const rows = await sql<{ outcome: string; count: number }>`
    select ${OUTCOME} as outcome, count(*)::int as count from ${currentOf(storeId, jobId)} group by 1`.execute(db)
  return Object.fromEntries(rows.rows.map((row) => [row.outcome, row.count]))
}

export interface ItemRow {
  cart_id: string
  customer: string | null
  to_address: string | null
  message_id: string | null
  outcome: 'waiting' | 'sent' | 'unknown' | 'failed'
  reason: string | null
  /** What the provider said last. */
  response: string | null
}

/** A page of the items in the order of their carts; ids that are no cart of the store are failed ones. */
export async function itemsOf(
  { db, storeId }: StoreDb,
  jobId: string,
  page: { outcome: string | null; limit: number; offset: number },
): Promise<ItemRow[]> {
  const rows = await sql<ItemRow>`
    select i.cart_id, c.customer_name as customer, i.to_address, i.message_id, i.outcome, i.reason, i.response from (
      select r.cart_id, m.cart_id as whose, coalesce(m.to_address, r.to_address) as to_address, m.id as message_id, ${OUTCOME} as outcome, m.reason,
        m.provider_response as response
      from ${currentOf(storeId, jobId)}
      union all
      select missing.id, null, null, null, 'failed', 'cart_missing', null from bulk_sends j, unnest(j.missing) as missing(id)
      where j.store_id = ${storeId} and j.id = ${jobId}) i
    left join lateral (select c.customer_name from carts c where c.store_id = ${storeId} and c.id = i.whose) c on true
    where ${page.outcome}::text is null or i.outcome = ${page.outcome}
    order by i.cart_id limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows.rows
}

/** Takes the failed items out of the job, for new messages to stand in their place; nobody else takes the same. */
export async function takeFailed({ db, storeId }: StoreTx, jobId: string): Promise<TakenItem[]> {
  const rows = await sql<TakenItem>`
    update manual_messages u set is_current = false
    from (select r.message_id from ${currentOf(storeId, jobId)} and ${hasNotArrived('m')}
      order by r.message_id for update of r) failed
    where u.store_id = ${storeId} and u.message_id = failed.message_id and u.is_current
    returning u.message_id, u.cart_id, u.template_id, u.subject, u.body, u.overrides_holdout`.execute(db)
  return rows.rows
}

/** Those of them nothing new stands for. */
export async function putBack({ db, storeId }: StoreTx, messageIds: readonly string[]): Promise<void> {
  await sql`update manual_messages set is_current = true
    where store_id = ${storeId} and message_id = any(${[...messageIds]}::uuid[])`.execute(db)
}

export interface TakenItem {
  message_id: string
  cart_id: string
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
