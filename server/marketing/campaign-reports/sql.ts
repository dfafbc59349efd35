import { type PageWindow, type RawBuilder, type StoreDb, sql } from '../../core/db/public.ts'
import type { MessageState } from '../../core/schema/public.ts'
import { countByState, hasBounced, isDelivered, isHeld } from '../../messages/messages/public.ts'
import { isRetryable } from '../campaigns/public.ts'

// SQL for the campaign report.

/** Every message is in exactly one of these states (D6). */
export async function countStates({ db, storeId }: StoreDb, id: string) {
  const { rows } = await sql<{ run: number; state: MessageState; count: number }>`
    select c.of as run, c.state, c.count from (${countByState('step', isOfCampaign(storeId, id))}) c`.execute(db)
  return rows
}

export interface Figures {
  delivered: number
  bounced: number
  complained: number
  unsubscribed: number
  retryable: number
}

/** `retryable` stops at `mostRetried`: each retryable message costs several index reads. */
export async function readFigures({ db, storeId }: StoreDb, id: string, mostRetried: number): Promise<Figures> {
  const count = (condition: RawBuilder<unknown>) =>
    sql`(select count(*)::int from messages m where ${isOfCampaign(storeId, id)} and ${condition})`
  const { rows } = await sql<Figures>`
    select ${count(isDelivered('m'))} as delivered, ${count(hasBounced('m'))} as bounced, 
      (select count(*)::int from (select 1 from messages m where ${isOfCampaign(storeId, id)} and ${isRetryable} limit ${mostRetried}) r) as retryable,
      (select count(distinct m.shopper_id)::int from messages m
        where m.store_id = ${storeId} and m.origin_id = ${id} and m.origin_kind = 'campaign' and m.unsubscribed_at is not null) as unsubscribed,
      (select count(distinct m.shopper_id)::int from mail_reports r join messages m on m.store_id = r.store_id and m.id = r.message_id
        where r.store_id = ${storeId} and r.kind = 'complaint' and ${isOfCampaign(storeId, id)}) as complained`.execute(
    db,
  )
  return rows[0]!
}

export interface RecipientFilter {
  campaignId: string
  /** null: any state. */
  states: readonly MessageState[] | null
  run: number | null
}

export interface RecipientPlace {
  id: string
  run: number
  state: MessageState
}

/**
 * Newest run first; with a state filter, in the order of runs. Answered by an index-only scan; the unfiltered index has
 * no state.
 */
export async function listRecipientIds(
  { db, storeId }: StoreDb,
  filter: RecipientFilter,
  { limit, offset, isFromEnd }: PageWindow,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select m.id from messages m where ${matchesFilter(storeId, filter)}
    order by ${buildOrder(filter, isFromEnd)} limit ${limit} offset ${offset}`.execute(db)
  const ids = rows.map(({ id }) => id)
  return isFromEnd ? ids.reverse() : ids
}

export async function listPositionsAfter(
  { db, storeId }: StoreDb,
  filter: RecipientFilter,
  { after, limit }: { after: RecipientPlace | null; limit: number },
): Promise<RecipientPlace[]> {
  const bound = filter.states
    ? sql`(m.state, m.step, m.id) > (${after?.state}, ${after?.run}::int, ${after?.id}::uuid)`
    : sql`(m.step, m.id) < (${after?.run}::int, ${after?.id}::uuid)`
  const { rows } = await sql<RecipientPlace>`
    select m.id, m.step as run, m.state from messages m where ${matchesFilter(storeId, filter)} ${after ? sql`and ${bound}` : sql``}
    order by ${buildOrder(filter, false)} limit ${limit}`.execute(db)
  return rows
}

export interface RecipientRow extends RecipientPlace {
  shopper_id: string
  cart_id: string | null
  customer: string
  to: string | null
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  reason: string | null
  provider_response: string | null
  due_at: Date
  held_until: Date | null
  sending_at: Date | null
}

/** In any order. A message that was not sent shows the contact it would be sent to. */
export async function readRecipients({ db, storeId }: StoreDb, ids: readonly string[]): Promise<RecipientRow[]> {
  const { rows } = await sql<RecipientRow>`
    select m.id, m.shopper_id, m.cart_id, m.step as run, m.state, m.channel, m.reason, m.provider_response, m.due_at, m.sending_at,
      case when ${isHeld('m')} then m.wake_at end as held_until,
      coalesce(c.customer_name, nullif(concat_ws(' ', s.first_name, s.last_name), ''), 'Guest') as customer,
      coalesce(m.to_address, case when m.channel = 'email' then case when m.cart_id is null then s.email else c.email end
        else case when m.cart_id is null then s.phone else c.phone end end) as "to"
    from messages m join shoppers s on s.store_id = m.store_id and s.id = m.shopper_id
    left join carts c on c.store_id = m.store_id and c.id = m.cart_id
    where m.store_id = ${storeId} and m.id = any(${[...ids]}::uuid[])`.execute(db)
  return rows
}

export const isOfCampaign = (storeId: string, id: string) =>
  sql`m.store_id = ${storeId} and m.origin_kind = 'campaign' and m.origin_id = ${id}`

const matchesFilter = (storeId: string, { campaignId, states, run }: RecipientFilter) =>
  sql`${isOfCampaign(storeId, campaignId)} ${states ? sql`and m.state = any(${[...states]}::text[])` : sql``}
    ${run === null ? sql`` : sql`and m.step = ${run}`}`

/** Matches the index that serves the filter: with or without state, in both directions. */
function buildOrder({ states }: RecipientFilter, isFromEnd: boolean): RawBuilder<unknown> {
  if (states) return isFromEnd ? sql`m.state desc, m.step desc, m.id desc` : sql`m.state, m.step, m.id`
  return isFromEnd ? sql`m.step, m.id` : sql`m.step desc, m.id desc`
}
