import { newestAbandoned } from '../../carts/carts/public.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import type { StoredFilters } from '../../core/schema/public.ts'
import type { ChannelName } from '../../messages/channels/public.ts'
import { isSending } from '../../messages/messages/public.ts'
import { isNewestMatching } from '../audiences/public.ts'
import { isKeyOfAddress } from './fragments.ts'
import { hasReceivedAny, hasReceivedForCart } from './plan-sql.ts'

// SQL that finds the members of an audience. `audiences/` counts them.

export interface Matching {
  channel: ChannelName
  filters: StoredFilters
  /** Skips carts that this campaign has already written about; null: skips none. */
  campaignId: string | null
  now: Date
}

export interface AudienceMember {
  shopper_id: string
  /** null: the message is about no cart. */
  cart_id: string | null
}

/** One cart per shopper, as a run would choose it; newest activity first. */
export async function listNewestMatching(
  { db, storeId }: StoreDb,
  { channel, filters, campaignId, now }: Matching,
  limit: number,
): Promise<AudienceMember[]> {
  const { rows } = await sql<AudienceMember>`
    select c.shopper_id, c.id as cart_id from carts c join shoppers s on s.store_id = c.store_id and s.id = c.shopper_id
    where c.store_id = ${storeId} and c.status = 'abandoned' and c.last_activity_at <= ${now}
      and ${isNewestMatching({ storeId, channel, filters, now })} ${campaignId ? sql`and not ${hasReceivedForCart(campaignId)}` : sql``}
    order by c.last_activity_at desc, c.id desc limit ${limit}`.execute(db)
  return rows
}

/**
 * Customers of the store with these emails and numbers, each once, with their most recently abandoned cart. null: no
 * customer has the address.
 * Skips people who already received `campaignId`, because a further run skips them too.
 */
export async function findChosenMembers(
  { db, storeId }: StoreDb,
  addresses: readonly string[],
  { campaignId, isOfCarts }: { campaignId: string | null; isOfCarts: boolean },
): Promise<(AudienceMember | null)[]> {
  const hasHad =
    campaignId &&
    (isOfCarts ? sql`(c.id is not null and ${hasReceivedForCart(campaignId)})` : hasReceivedAny(campaignId))
  const { rows } = await sql<{ shopper_id: string | null; cart_id: string | null; has_had: boolean }>`
    select s.id as shopper_id, c.id as cart_id, ${hasHad || sql`false`} as has_had from unnest(${[...addresses]}::text[]) as w(address)
    left join shopper_keys k on k.store_id = ${storeId} and ${isKeyOfAddress(sql`w.address`)}
    left join shoppers s on s.store_id = k.store_id and s.id = k.shopper_id
    left join lateral (${newestAbandoned}) c on true`.execute(db)
  const people = new Map(rows.flatMap((row) => (row.shopper_id ? [[row.shopper_id, row] as const] : [])))
  const newcomers = [...people.values()].filter((row) => !row.has_had) as AudienceMember[]
  return [...newcomers, ...rows.filter(({ shopper_id }) => shopper_id === null).map(() => null)]
}

/** Counts the people who have neither clicked nor bought since. */
export async function countQuiet(
  { db, storeId }: StoreDb,
  shopperIds: readonly string[],
  since: Date,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from unnest(${[...shopperIds]}::uuid[]) as w(id)
    where not exists (select 1 from touchpoints t where t.store_id = ${storeId} and t.shopper_id = w.id and t.is_human and t.at >= ${since}
        offset 0)
      and not exists (select 1 from orders o where o.store_id = ${storeId} and o.shopper_id = w.id and o.purchased_at >= ${since}
        and not o.is_renewal offset 0)`.execute(db)
  return rows[0]!.count
}

/** The largest number of messages sent in one minute, among the newest thousands since then. */
export async function busiestMinute({ db, storeId }: StoreDb, channel: ChannelName, since: Date): Promise<number> {
  const { rows } = await sql<{ most: number }>`
    select coalesce(max(n), 0)::int as most from (
      select count(*) filter (where channel = ${channel}) as n from (
        select channel, sending_at from messages
        where store_id = ${storeId} and sending_at >= ${since} and not ${isSending('messages')}
        order by sending_at desc limit 5000) newest
      group by date_trunc('minute', sending_at)) each`.execute(db)
  return rows[0]!.most
}
