import { type Db, type RawBuilder, type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'
import {
  becomesCancelled,
  becomesDue,
  isHeld,
  isOpen,
  isRunningCampaign,
  isSending,
} from '../../messages/messages/fragments.ts'
import { isKeyOf } from './fragments.ts'

// Statements for campaign runs. Those that create the rows of a run are in plan-sql.ts.

export interface CampaignKey {
  store_id: string
  id: string
}

/** Whether any campaign is due, or has begun and not ended. The queries below find only such campaigns. */
export async function hasCampaignWork(db: Db, now: Date): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select 1 from campaigns g where (g.next_run_at <= ${now} or g.run > 0) and ${isRunningCampaign})
      or exists (select 1 from campaign_runs where planned_at is null) as has`.execute(db)
  return rows[0]!.has
}

/** Due campaigns of connected stores. */
export async function dueCampaigns(db: Db, now: Date, limit: number): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select g.store_id, g.id from campaigns g join stores s on s.id = g.store_id and s.is_active
    where g.next_run_at <= ${now} and g.next_run_at is not null and ${isRunningCampaign}
    order by g.next_run_at limit ${limit}`.execute(db)
  return rows
}

/** Campaigns whose next run was computed in another time zone than the store's. */
export async function campaignsOfOtherZones(db: Db, limit: number): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select g.store_id, g.id from campaigns g join stores s on s.id = g.store_id and s.time_zone <> g.run_zone
    where g.next_run_at is not null and ${isRunningCampaign} limit ${limit}`.execute(db)
  return rows
}

/** False: another process holds the campaign, or it is no longer due. */
export async function claimDue({ db, storeId }: StoreTx, id: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    select 1 from campaigns g where g.store_id = ${storeId} and g.id = ${id} and g.next_run_at <= ${now} and ${isRunningCampaign}
    for no key update skip locked`.execute(db)
  return rows.length > 0
}

/**
 * Campaigns of connected stores with rows still to create: a process may have crashed, or the store was disconnected
 * for a while.
 */
export async function unplannedCampaigns(db: Db, limit: number): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select distinct r.store_id, r.campaign_id as id from campaign_runs r join stores s on s.id = r.store_id and s.is_active
    where r.planned_at is null limit ${limit}`.execute(db)
  return rows
}

export interface NewRun {
  campaignId: string
  run: number
  id: string
  at: Date
  now: Date
}

export async function insertRun({ db, storeId }: StoreTx, { campaignId, run, id, at, now }: NewRun): Promise<void> {
  await db
    .insertInto('campaign_runs')
    .values({ store_id: storeId, campaign_id: campaignId, run, id, at, started_at: now })
    .execute()
}

/** Stops creating rows for runs that have begun. */
export async function endPlanning({ db, storeId }: StoreTx, campaignId: string, now: Date): Promise<void> {
  await db
    .updateTable('campaign_runs')
    .set({ planned_at: now })
    .where('store_id', '=', storeId)
    .where('campaign_id', '=', campaignId)
    .where('planned_at', 'is', null)
    .execute()
}

const isBeingPlanned = sql`exists (select 1 from campaign_runs r
    where r.store_id = g.store_id and r.campaign_id = g.id and r.planned_at is null)`

/** Two index lookups: combined into one, PostgreSQL would scan the index of origins from its start. */
const hasUnfinished = sql`(exists (select 1 from messages m where m.store_id = g.store_id and m.origin_kind = 'campaign'
      and m.origin_id = g.id and ${isOpen('m')})
    or exists (select 1 from messages m where m.store_id = g.store_id and m.origin_kind = 'campaign'
      and m.origin_id = g.id and ${isSending('m')}))`

/** Finished: no further run is scheduled, and no message is open. */
const isFinished = sql`(${isRunningCampaign} and g.run > 0 and g.next_run_at is null and not ${isBeingPlanned} and not ${hasUnfinished})`

export async function finishedCampaigns(db: Db, limit: number): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select g.store_id, g.id from campaigns g where ${isFinished} limit ${limit}`.execute(db)
  return rows
}

/** Requires the campaign's lock: otherwise the subqueries would see the state from before the lock wait. */
export async function endCampaign({ db, storeId }: StoreTx, id: string, now: Date): Promise<void> {
  await sql`update campaigns g set status = case when g.sent_now_at is null then 'completed' else 'sent' end, updated_at = ${now}
    where g.store_id = ${storeId} and g.id = ${id} and ${isFinished}`.execute(db)
}

/** Campaigns that were resumed in the middle of a run. */
export async function resumedCampaigns(db: Db, limit: number): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select g.store_id, g.id from campaigns g where ${isRunningCampaign} and g.run > 0 and g.status = 'scheduled'
      and (${isBeingPlanned} or ${hasUnfinished}) limit ${limit}`.execute(db)
  return rows
}

export async function markResumed({ db, storeId }: StoreDb, id: string, now: Date): Promise<void> {
  await sql`update campaigns g set status = 'active', updated_at = ${now}
    where g.store_id = ${storeId} and g.id = ${id} and g.status = 'scheduled' and g.deleted_at is null`.execute(db)
}

/** Closes up to `limit` open messages with a reason; returns how many. */
export const cancelSome = (tx: StoreTx, campaignId: string, wanted: CloseOptions): Promise<number> =>
  closeOpenMessages(tx, campaignId, { ...wanted, which: sql`true` })

/** Same, for messages to people who are no longer chosen. */
export const cancelLeftOut = (tx: StoreTx, campaignId: string, wanted: Omit<CloseOptions, 'reason'>): Promise<number> =>
  closeOpenMessages(tx, campaignId, { ...wanted, reason: 'campaign_left_out', which: sql`not ${isToChosen}` })

/** Same, for held messages. */
export const cancelHeld = (tx: StoreTx, campaignId: string, wanted: Omit<CloseOptions, 'reason'>): Promise<number> =>
  closeOpenMessages(tx, campaignId, { ...wanted, reason: 'campaign_dropped', which: isHeld('messages') })

interface CloseOptions {
  reason: string
  now: Date
  limit: number
}

const isToChosen = sql`exists (select 1 from campaign_people p
  join shopper_keys k on k.store_id = p.store_id and ${isKeyOf(sql`p.address`)}
  where p.store_id = messages.store_id and p.campaign_id = messages.origin_id and k.shopper_id = messages.shopper_id)`

async function closeOpenMessages(
  { db, storeId }: StoreTx,
  campaignId: string,
  { reason, now, limit, which }: CloseOptions & { which: RawBuilder<unknown> },
): Promise<number> {
  const { rows } = await sql`
    with gone as (
      update messages m set ${becomesCancelled(reason, now)}
      from (select id from messages where store_id = ${storeId} and id = any(array(
          select id from messages where ${ofCampaign(storeId, campaignId)} and ${isOpen('messages')} and ${which} limit ${limit}))
        and ${isOpen('messages')} and ${which} order by id for update) open
      where m.store_id = ${storeId} and m.id = open.id returning m.id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select ${storeId}, gen_random_uuid(), id, ${now}, 'cancel', ${reason}, '{}' from gone returning 1`.execute(db)
  return rows.length
}

export interface RetimePlace {
  step: number
  id: string
}

/**
 * Recomputes the due times of a page of open messages after an edit. Returns the last place read; null: none were left.
 * Each message is read once; otherwise every page would read the whole campaign again.
 */
export async function retimeSome(
  { db, storeId }: StoreTx,
  campaignId: string,
  { now, limit, after }: { now: Date; limit: number; after: RetimePlace | null },
): Promise<RetimePlace | null> {
  const { rows } = await sql<RetimePlace>`
    with page as materialized (
      select step, id, state, due_at, cart_id, shopper_id, step_id from messages where ${ofCampaign(storeId, campaignId)}
        ${after ? sql`and (step, id) > (${after.step}::int, ${after.id}::uuid)` : sql``} order by step, id limit ${limit}),
    timed as materialized (
      select o.id, ${dueAt(sql`o.shopper_id`)} as at from page o
      join campaigns g on g.store_id = ${storeId} and g.id = ${campaignId}
      join campaign_runs r on r.store_id = g.store_id and r.campaign_id = g.id and r.id = o.step_id
      left join carts c on c.store_id = g.store_id and c.id = o.cart_id
      where ${isOpen('o')} and o.due_at <> ${dueAt(sql`o.shopper_id`)}),
    open as materialized (
      select id from messages where store_id = ${storeId} and id = any(array(select id from timed)) and ${isOpen('messages')}
      order by id for update),
    moved as (
      update messages m set ${becomesDue(sql`t.at`)}, due_at = t.at, expires_at = t.at + ${MOST_AGE}, updated_at = ${now}
      from timed t join open on open.id = t.id where m.store_id = ${storeId} and m.id = open.id)
    select step, id from page order by step desc, id desc limit 1`.execute(db)
  return rows[0] ?? null
}

const ofCampaign = (storeId: string, campaignId: string) =>
  sql`store_id = ${storeId} and origin_kind = 'campaign' and origin_id = ${campaignId}`

/** The age limit of a message (D7). */
export const MOST_AGE = sql`interval '72 hours'`

/**
 * When a message of run `r` of campaign `g` about cart `c` is due: the later of the run, and the last activity plus the
 * delay. For chosen customers, it is the run.
 * With a spread, each shopper has a fixed offset in it.
 */
export const dueAt = (shopperId: ReturnType<typeof sql>) => sql`(
  case when g.audience_type = 'specific_customers' or c.id is null then r.at
    else greatest(r.at, c.last_activity_at + g.delay_hours * interval '1 hour') end
  + ${spreadOver(shopperId)})`

/** Rounded to milliseconds, as all instants are stored. */
export const spreadOver = (shopperId: ReturnType<typeof sql>) => sql`(coalesce(g.spread_hours, 0)
  * (('x' || substr(md5(${shopperId}::text || r.id::text), 1, 6))::bit(24)::int * 3600000::bigint / 16777216) * interval '1 millisecond')`
