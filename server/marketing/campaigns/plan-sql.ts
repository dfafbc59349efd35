import { type RawBuilder, type StoreDb, sql } from '../../core/db/public.ts'
import type { StoredFilters } from '../../core/schema/public.ts'
import type { ChannelName } from '../../messages/channels/public.ts'

import { isNewestMatching } from '../audiences/public.ts'

// SQL that creates the rows of a run, a page at a time.

/**
 * Ignores messages that were closed because the campaign was cancelled or the person removed: they received nothing and
 * may get the campaign after Play.
 */
export const isReceivedMessage = (campaignId: string) => sql`h.origin_kind = 'campaign' and h.origin_id = ${campaignId}
  and coalesce(h.reason, '') not in ('campaign_cancelled', 'campaign_left_out')`

/**
 * Filters by cart alone. By campaign, for which statistics are missing at first, each check would read all messages of
 * the campaign.
 */
export const selectCartMessages = (
  cart: RawBuilder<unknown>,
) => sql`(select h.origin_kind, h.origin_id, h.step_id, h.state, h.reason from messages h
    where h.store_id = c.store_id and h.cart_id = ${cart} offset 0) h`

/** Cart `c` has had the campaign, in any run. */
export const hasReceivedForCart = (campaignId: string) =>
  sql`exists (select 1 from ${selectCartMessages(sql`c.id`)} where ${isReceivedMessage(campaignId)})`

export interface PlanCriteria {
  campaignId: string
  channel: ChannelName
  filters: StoredFilters
}

/** Abandoned carts that the campaign has not written about yet. */
export const newcomers = (storeId: string, { campaignId, channel, filters }: PlanCriteria, startedAt: Date) => sql`
  carts c where c.store_id = ${storeId} and c.status = 'abandoned' and c.last_activity_at <= ${startedAt}
    and ${isNewestMatching({ storeId, channel, filters, now: startedAt })} and not ${hasReceivedForCart(campaignId)}`

/** How many messages a run that begins now would have, counted up to `max`. */
export async function countNewcomers(
  { db, storeId }: StoreDb,
  criteria: PlanCriteria,
  { now, max }: { now: Date; max: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select 1 from ${newcomers(storeId, criteria, now)} limit ${max}) found`.execute(
    db,
  )
  return rows[0]!.count
}

/** Shopper `s` has had the campaign, with or without a cart. */
export const hasReceivedAny = (campaignId: string): RawBuilder<unknown> => sql`(
  exists (select 1 from messages h where h.store_id = s.store_id and h.lone_shopper_id = s.id and ${isReceivedMessage(campaignId)} offset 0)
  or exists (select 1 from carts o join messages h on h.store_id = o.store_id and h.cart_id = o.id
    where o.store_id = s.store_id and o.shopper_id = s.id and ${isReceivedMessage(campaignId)} offset 0))`
