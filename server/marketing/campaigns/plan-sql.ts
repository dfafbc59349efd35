import { newestAbandoned } from '../../carts/carts/fragments.ts'
import { type RawBuilder, type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'
import type { StoredFilters } from '../../core/schema/campaigns.ts'
import type { ChannelName } from '../../messages/channels/channel.ts'
import { SCHEDULED } from '../../messages/messages/fragments.ts'
import { isNewestMatching } from '../audiences/fragments.ts'
import { isKeyOf } from './fragments.ts'
import { dueAt, MOST_AGE, spreadOver } from './runs-sql.ts'

// Statements that create the rows of a run, a page at a time.

export interface RunToPlan {
  id: string
  run: number
  at: Date
  started_at: Date
  cursor_at: Date | null
  cursor_id: string | null
}

/** The oldest run with rows still to create. Requires the campaign's lock. */
export function runToPlan({ db, storeId }: StoreTx, campaignId: string): Promise<RunToPlan | undefined> {
  return db
    .selectFrom('campaign_runs')
    .select(['id', 'run', 'at', 'started_at', 'cursor_at', 'cursor_id'])
    .where('store_id', '=', storeId)
    .where('campaign_id', '=', campaignId)
    .where('planned_at', 'is', null)
    .orderBy('run')
    .limit(1)
    .executeTakeFirst()
}

export async function moveCursor(
  { db, storeId }: StoreTx,
  campaignId: string,
  { run, at, id }: { run: number; at: Date; id: string },
): Promise<void> {
  await db
    .updateTable('campaign_runs')
    .set({ cursor_at: at, cursor_id: id })
    .where('store_id', '=', storeId)
    .where('campaign_id', '=', campaignId)
    .where('run', '=', run)
    .execute()
}

export async function markPlanned(
  { db, storeId }: StoreTx,
  campaignId: string,
  { run, now }: { run: number; now: Date },
): Promise<void> {
  await db
    .updateTable('campaign_runs')
    .set({ planned_at: now })
    .where('store_id', '=', storeId)
    .where('campaign_id', '=', campaignId)
    .where('run', '=', run)
    .execute()
}

/**
 * Ignores messages that were closed because the campaign was cancelled or the person removed: they received nothing and
 * may get the campaign after Play.
 */
const isReceivedMessage = (campaignId: string) => sql`h.origin_kind = 'campaign' and h.origin_id = ${campaignId}
  and coalesce(h.reason, '') not in ('campaign_cancelled', 'campaign_left_out')`

/**
 * Filters by cart alone. By campaign, for which statistics are missing at first, each check would read all messages of
 * the campaign.
 */
const ofCart = (
  cart: RawBuilder<unknown>,
) => sql`(select h.origin_kind, h.origin_id, h.step_id, h.state, h.reason from messages h
    where h.store_id = c.store_id and h.cart_id = ${cart} offset 0) h`

/** Cart `c` has had the campaign, in any run. */
export const hasReceivedForCart = (campaignId: string) =>
  sql`exists (select 1 from ${ofCart(sql`c.id`)} where ${isReceivedMessage(campaignId)})`

/** The shopper of cart `c` is in this run. */
const isInRun = (
  campaignId: string,
  runId: string,
) => sql`exists (select 1 from carts o cross join lateral ${ofCart(sql`o.id`)}
  where o.store_id = c.store_id and o.shopper_id = c.shopper_id and ${isReceivedMessage(campaignId)} and h.step_id = ${runId} offset 0)`

export interface PlanCriteria {
  campaignId: string
  channel: ChannelName
  filters: StoredFilters
}

/** Abandoned carts that the campaign has not written about yet. */
const newcomers = (storeId: string, { campaignId, channel, filters }: PlanCriteria, startedAt: Date) => sql`
  carts c where c.store_id = ${storeId} and c.status = 'abandoned' and c.last_activity_at <= ${startedAt}
    and ${isNewestMatching({ storeId, channel, filters, now: startedAt })} and not ${hasReceivedForCart(campaignId)}`

export interface Place {
  id: string
  last_activity_at: Date
}

/**
 * The next page, newest activity first. It skips shoppers active after the run began: their position would change
 * between pages, and a shopper who is in the shop now needs no reminder.
 */
export async function nextCarts(
  { db, storeId }: StoreTx,
  wanted: PlanCriteria,
  run: RunToPlan,
  limit: number,
): Promise<Place[]> {
  const behind =
    run.cursor_at && run.cursor_id
      ? sql`and (c.last_activity_at, c.id) < (${run.cursor_at}::timestamptz, ${run.cursor_id}::uuid)`
      : sql``
  const { rows } = await sql<Place>`
    select c.id, c.last_activity_at from ${newcomers(storeId, wanted, run.started_at)} ${behind}
      and not ${isInRun(wanted.campaignId, run.id)}
    order by c.last_activity_at desc, c.id desc limit ${limit}`.execute(db)
  return rows
}

/** How many messages a run that begins now would have, counted up to `most`. */
export async function countNewcomers(
  { db, storeId }: StoreDb,
  wanted: PlanCriteria,
  { now, most }: { now: Date; most: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select 1 from ${newcomers(storeId, wanted, now)} limit ${most}) found`.execute(
    db,
  )
  return rows[0]!.count
}

/**
 * Creates one message for each cart that is still abandoned and returns how many. Their lock prevents a merge with
 * another cart meanwhile (S6). A cart with a planned message is not closed before 7 days have passed (S5).
 */
export async function planCarts(
  { db, storeId }: StoreTx,
  { campaignId, runId, cartIds, now }: { campaignId: string; runId: string; cartIds: readonly string[]; now: Date },
): Promise<number> {
  const { rows } = await sql`
    with locked as materialized (
      select c.id, c.shopper_id, c.last_activity_at from carts c
      where c.store_id = ${storeId} and c.id = any(${[...cartIds]}::uuid[]) and c.status = 'abandoned' order by c.id for no key update),
    due as materialized (
      select c.id, c.shopper_id, r.id as run_id, r.run, g.type, g.template_id, ${dueAt(sql`c.shopper_id`)} as at
      from locked c join campaigns g on g.store_id = ${storeId} and g.id = ${campaignId}
      join campaign_runs r on r.store_id = ${storeId} and r.campaign_id = g.id and r.id = ${runId}),
    kept as (
      update carts c set lost_at = due.at + interval '7 days' from due
      where c.store_id = ${storeId} and c.id = due.id and c.lost_at < due.at + interval '7 days')
    insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step_id, step, channel, state, due_at, expires_at, wake_at,
      template_id, created_at, updated_at)
    select ${storeId}, gen_random_uuid(), due.id, due.shopper_id, 'campaign', ${campaignId}, due.run_id, due.run, due.type, ${SCHEDULED},
      due.at, due.at + ${MOST_AGE}, due.at, due.template_id, ${now}, ${now}
    from due on conflict do nothing returning 1`.execute(db)
  return rows.length
}

export interface ChosenRow {
  shopper_id: string
  /** The most recently abandoned cart; null: the person has none. */
  cart_id: string | null
  later_ms: number
}

/** Chosen people who have not had the campaign: about their cart, or at all where a message needs no cart. */
export async function chosenPeople(
  { db, storeId }: StoreTx,
  { campaignId, runId }: { campaignId: string; runId: string },
): Promise<ChosenRow[]> {
  const { rows } = await sql<ChosenRow>`
    select s.id as shopper_id, c.id as cart_id, extract(epoch from ${spreadOver(sql`s.id`)}) * 1000 as later_ms
    from (select distinct k.shopper_id from campaign_people p
      join shopper_keys k on k.store_id = p.store_id and ${isKeyOf(sql`p.address`)}
      where p.store_id = ${storeId} and p.campaign_id = ${campaignId}) w
    join shoppers s on s.store_id = ${storeId} and s.id = w.shopper_id
    join campaigns g on g.store_id = ${storeId} and g.id = ${campaignId}
    join campaign_runs r on r.store_id = ${storeId} and r.campaign_id = g.id and r.id = ${runId}
    left join lateral (${newestAbandoned}) c on true
    where case when g.audience_type = 'abandoned_carts' then c.id is not null and not ${hasReceivedForCart(campaignId)}
      else not ${hasReceivedAny(campaignId)} end
    order by s.id`.execute(db)
  return rows.map((row) => ({ ...row, later_ms: Math.round(Number(row.later_ms)) }))
}

/** Shopper `s` has had the campaign, with or without a cart. */
export const hasReceivedAny = (campaignId: string): RawBuilder<unknown> => sql`(
  exists (select 1 from messages h where h.store_id = s.store_id and h.lone_shopper_id = s.id and ${isReceivedMessage(campaignId)} offset 0)
  or exists (select 1 from carts o join messages h on h.store_id = o.store_id and h.cart_id = o.id
    where o.store_id = s.store_id and o.shopper_id = s.id and ${isReceivedMessage(campaignId)} offset 0))`
