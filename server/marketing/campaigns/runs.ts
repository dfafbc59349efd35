import { setImmediate as breathe } from 'node:timers/promises'
import { lockConnected, readStore } from '../../access/stores/public.ts'
import { newestAbandoned } from '../../carts/carts/public.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, sql, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  becomesDue,
  isOpen,
  isRunningCampaign,
  isSending,
  planMessages,
  SCHEDULED,
  scheduleNextRun,
} from '../../messages/messages/public.ts'
import { refreshLargeJobStatistics } from '../manual-sends/public.ts'
import { type CampaignRow, lockCampaign, readCampaign, updateCampaign } from './campaigns-sql.ts'
import { countCustomText, delayRun } from './custom-text.ts'
import { isKeyOfAddress } from './fragments.ts'
import { findBlocker, findCartWording } from './gates.ts'
import { pauseAutomatically } from './guard.ts'
import { followJob, planRunsJob } from './jobs.ts'
import type * as plan from './plan-sql.ts'
import type { PlanCriteria } from './plan-sql.ts'
import { hasReceivedAny, hasReceivedForCart, isReceivedMessage, newcomers, selectCartMessages } from './plan-sql.ts'
import { findDueRun, findNextRun, findNextRunAfterChange, getRunTimes } from './rules.ts'
import type { CloseOptions } from './runs-sql.ts'
import { type CampaignKey, closeOpenMessages, insertRun, isOfCampaign } from './runs-sql.ts'

// Starts due runs, creates their rows in pages of one transaction each, and ends a campaign when no message is open.
// The cursor is stored with the rows, so a run resumes after a crash.

const MAX_STARTED = 100
const MAX_CHECKED = 500

/** Every second, in every process. */
export async function runCampaigns(deps: Deps): Promise<void> {
  const now = deps.now()
  if (!(await hasCampaignWork(deps.db, now))) return
  await forEachCampaign(deps, await dueCampaigns(deps.db, now, MAX_STARTED), startDueRun)
  await forEachCampaign(deps, await unplannedCampaigns(deps.db, MAX_CHECKED), (_, store, campaignId) =>
    enqueuePlanning(deps, store, campaignId),
  )
  await forEachCampaign(deps, await resumedCampaigns(deps.db, MAX_CHECKED), (_, store, id) =>
    markResumed(store, id, now),
  )
  await forEachCampaign(deps, await finishedCampaigns(deps.db, MAX_CHECKED), endIfFinished)
}

/** Locks first: a run that starts concurrently is either visible or waits until the campaign has ended. */
async function endIfFinished(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, id: string): Promise<void> {
  await transact(store, async (tx) => {
    if (await lockCampaign(tx, id)) await endCampaign(tx, id, deps.now())
  })
}

/** An error of one campaign does not stop the others. */
async function forEachCampaign(
  deps: Deps,
  campaigns: readonly CampaignKey[],
  work: (deps: Deps, store: StoreDb<Db>, id: string) => Promise<void>,
): Promise<void> {
  for (const { store_id: storeId, id } of campaigns) {
    try {
      await work(deps, { storeId, db: deps.db }, id)
    } catch (error) {
      deps.log.error({ err: error, storeId, campaignId: id }, 'campaigns.run-failed')
    }
  }
}

/** After a change of the store's time zone, runs keep their wall-clock times (T3). */
export const followZones = async (deps: Deps): Promise<void> =>
  forEachCampaign(deps, await campaignsOfOtherZones(deps.db, MAX_CHECKED), (_, store, id) =>
    transact(store, async (tx) => {
      const campaign = await lockCampaign(tx, id)
      if (campaign?.next_run_at) await reschedule(deps, tx, campaign)
    }),
  )

async function reschedule(deps: Pick<Deps, 'now'>, tx: StoreTx, campaign: CampaignRow): Promise<boolean> {
  const { time_zone: zone } = requireFound(await readStore(tx), 'Store')
  if (zone === campaign.run_zone) return false
  const next = findNextRunAfterChange(campaign.run, getRunTimes(campaign), zone, deps.now())
  await updateCampaign(tx, campaign.id, { run_zone: zone, ...(next && { next_run_at: next }) })
  return true
}

async function startDueRun(
  deps: Pick<Deps, 'channels' | 'config' | 'jobs' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  id: string,
): Promise<void> {
  const now = deps.now()
  try {
    await transact(store, async (tx) => {
      if (!(await claimDue(tx, id, now))) return
      const campaign = requireFound(await lockCampaign(tx, id), 'Campaign')
      if (await reschedule(deps, tx, campaign)) return
      const { account_id: accountId } = requireFound(await readStore(tx), 'Store')
      const options = { ...campaign, isPlanned: campaign.is_planned }
      const cause = await findBlocker({ accountId, db: tx.db }, now, options)
      if (cause) return pauseAutomatically(tx, campaign, { cause }, now)
      if (await findCartWording(deps, accountId, campaign))
        return pauseAutomatically(tx, campaign, { cause: 'cart_words' }, now)
      const zone = campaign.run_zone
      const times = getRunTimes(campaign)
      // Missed runs are merged into the newest.
      const at = findDueRun(times, zone, campaign.next_run_at!, now)
      await startRun(deps, tx, campaign, { at, next: findNextRun(times, zone, now) })
    })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error
    await delayRun(store, id, { waitS: error.retryAfterS ?? MINUTE_S, now })
  }
}

const MINUTE_S = 60

/** Throws `rate_limited` while the limit of a young account does not allow so many mails with custom text. */
export async function startRun(
  deps: Pick<Deps, 'config' | 'jobs' | 'now' | 'secrets'>,
  tx: StoreTx,
  campaign: CampaignRow,
  { at, next }: { at: Date; next: Date | null },
): Promise<void> {
  const now = deps.now()
  await countCustomText(deps, tx, campaign)
  const run = campaign.run + 1
  await insertRun(tx, { campaignId: campaign.id, run, id: createId(), at, now })
  await updateCampaign(tx, campaign.id, { status: 'active', run, next_run_at: next, put_off_by: null, updated_at: now })
  await enqueuePlanning(deps, tx, campaign.id)
}

const enqueuePlanning = (deps: Pick<Deps, 'jobs'>, { db, storeId }: StoreDb, campaignId: string) =>
  deps.jobs.enqueue(db, planRunsJob, { storeId, campaignId }, campaignId)

const PAGE = 1_000
/** After so many new rows, table statistics are outdated. */
const REFRESH_AFTER = 5 * PAGE

/** One process at a time; a second one returns, because waiting workers would hold queue slots and connections. */
export async function planRuns(
  deps: Pick<Deps, 'db' | 'log' | 'now'>,
  { storeId, campaignId }: { storeId: string; campaignId: string },
  rowsAPage = PAGE,
): Promise<void> {
  const store = { storeId, db: deps.db }
  let planned = 0
  for (;;) {
    const plannedCount = await transact(store, (tx) => planPage(deps, tx, campaignId, rowsAPage))
    if (plannedCount === null) break
    if (planned < REFRESH_AFTER && planned + plannedCount >= REFRESH_AFTER)
      await refreshLargeJobStatistics(deps, store, REFRESH_AFTER)
    planned += plannedCount
    await breathe()
  }
  await refreshLargeJobStatistics(deps, store, planned)
}

/**
 * Returns how many rows were created; null: nothing is left to plan, the store is not connected, or another process
 * holds the campaign.
 * `runCampaigns` enqueues the rest of connected stores every second.
 */
async function planPage(
  deps: Pick<Deps, 'now'>,
  tx: StoreTx,
  campaignId: string,
  rowsAPage: number,
): Promise<number | null> {
  const now = deps.now()
  const campaign = (await lockConnected(tx)) ? await lockForPlanning(tx, campaignId) : undefined
  const run = campaign && (await runToPlan(tx, campaignId))
  if (!campaign || !run) return null
  const planned =
    campaign.audience_mode === 'matching'
      ? await planMatching(tx, campaign, run, { now, rowsAPage })
      : await planChosen(tx, campaign, run, now)
  await scheduleNextRun(tx)
  return planned
}

async function planMatching(
  tx: StoreTx,
  campaign: CampaignRow,
  run: RunToPlan,
  { now, rowsAPage }: { now: Date; rowsAPage: number },
): Promise<number> {
  const carts = await nextCarts(tx, planCriteria(campaign), run, rowsAPage)
  const cartIds = carts.map(({ id }) => id)
  const planned = await planCarts(tx, { campaignId: campaign.id, runId: run.id, cartIds, now })
  const last = carts.at(-1)
  if (carts.length === rowsAPage && last) {
    await moveCursor(tx, campaign.id, { run: run.run, at: last.last_activity_at, id: last.id })
  } else await markPlanned(tx, campaign.id, { run: run.run, now })
  return planned
}

export const planCriteria = (campaign: CampaignRow): plan.PlanCriteria => ({
  campaignId: campaign.id,
  channel: campaign.type,
  filters: campaign.filters,
})

/** Chosen people are few: one page holds them. */
async function planChosen(tx: StoreTx, campaign: CampaignRow, run: RunToPlan, now: Date): Promise<number> {
  const people = await chosenPeople(tx, { campaignId: campaign.id, runId: run.id })
  return planMessagesFor(tx, campaign, run, { people, now })
}

/** Creates a message for each of these people, about their cart or none, and completes the run. Returns how many. */
export async function planMessagesFor(
  tx: StoreTx,
  { id: campaignId, type: channel, template_id: templateId }: CampaignRow,
  run: Pick<RunToPlan, 'id' | 'run' | 'at'>,
  { people, now }: { people: readonly ChosenRow[]; now: Date },
): Promise<number> {
  const alone = people.filter(({ cart_id }) => cart_id === null)
  const rows = alone.map((each) => ({ id: createId(), shopperId: each.shopper_id, laterMs: each.later_ms }))
  // Lock order: shoppers before carts.
  const lone = await planMessages(tx, {
    origin: { kind: 'campaign', id: campaignId, stepId: run.id, step: run.run },
    people: rows,
    purchasesSince: null,
    channel,
    templateId,
    dueAt: run.at,
    expiresAt: new Date(run.at.getTime() + MAX_AGE_MS),
    wakeAt: run.at,
    now,
  })
  const cartIds = people.flatMap(({ cart_id }) => cart_id ?? [])
  const about = await planCarts(tx, { campaignId, runId: run.id, cartIds, now })
  await markPlanned(tx, campaignId, { run: run.run, now })
  return lone.length + about
}

/** The age limit of a message (D7), as in `MAX_AGE`. */
const MAX_AGE_MS = 72 * 3_600_000

const SOME = 1_000

/**
 * Closes the open messages of a cancelled or deleted campaign. For an edited campaign, it closes those of removed
 * people and updates the due times of the others.
 */
export async function followCampaign(
  deps: Pick<Deps, 'db' | 'now'>,
  { storeId, campaignId }: { storeId: string; campaignId: string },
  limit = SOME,
): Promise<void> {
  const store = { storeId, db: deps.db }
  let followed: FollowProgress | null = { place: null }
  while (followed !== null) {
    const { place }: FollowProgress = followed
    followed = await transact(store, (tx) => updateSomeMessages(deps, tx, campaignId, { limit, after: place }))
    await breathe()
  }
}

interface FollowProgress {
  /** null: from the beginning. */
  place: RetimePlace | null
}

/** Returns the place reached; null: nothing was left. */
async function updateSomeMessages(
  deps: Pick<Deps, 'now'>,
  tx: StoreTx,
  campaignId: string,
  { limit, after }: { limit: number; after: RetimePlace | null },
): Promise<FollowProgress | null> {
  const now = deps.now()
  // Deleted campaigns are not found.
  const campaign = await lockCampaign(tx, campaignId)
  const reason = !campaign ? 'campaign_deleted' : campaign.status === 'cancelled' ? 'campaign_cancelled' : null
  const some = { now, limit }
  const closed =
    !campaign || reason
      ? await cancelSome(tx, campaignId, { reason: reason ?? 'campaign_deleted', ...some })
      : await closeSkipped(tx, campaign, some)
  const isDone = reason !== null || closed > 0
  const place = isDone ? null : await retimeSome(tx, campaignId, { ...some, after })
  await scheduleNextRun(tx)
  return place || closed > 0 ? { place: place ?? after } : null
}

const closeSkipped = async (tx: StoreTx, { id, audience_mode }: CampaignRow, some: { now: Date; limit: number }) =>
  audience_mode === 'selected' ? cancelSkipped(tx, id, some) : 0

/**
 * Applies an edit to open messages. From its commit on, nothing is sent to removed people. New due times and the rest
 * of a large campaign follow in a job.
 */
export async function followEdit(
  deps: Pick<Deps, 'jobs' | 'now'>,
  tx: StoreTx,
  campaignId: string,
  { isSelected, isRetimed }: { isSelected: boolean; isRetimed: boolean },
): Promise<void> {
  const { storeId } = tx
  const closed = isSelected ? await cancelSkipped(tx, campaignId, { now: deps.now(), limit: SOME }) : 0
  if (isRetimed || closed === SOME) await deps.jobs.enqueue(tx.db, followJob, { storeId, campaignId }, campaignId)
}

interface RunToPlan {
  id: string
  run: number
  at: Date
  started_at: Date
  cursor_at: Date | null
  cursor_id: string | null
}

/** The oldest run with rows still to create. Requires the campaign's lock. */
function runToPlan({ db, storeId }: StoreTx, campaignId: string): Promise<RunToPlan | undefined> {
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

async function moveCursor(
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

async function markPlanned(
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

/** The shopper of cart `c` is in this run. */
const isInRun = (
  campaignId: string,
  runId: string,
) => sql`exists (select 1 from carts o cross join lateral ${selectCartMessages(sql`o.id`)}
  where o.store_id = c.store_id and o.shopper_id = c.shopper_id and ${isReceivedMessage(campaignId)} and h.step_id = ${runId} offset 0)`

/**
 * The next page, newest activity first. It skips shoppers active after the run began: their position would change
 * between pages, and a shopper who is in the shop now needs no reminder.
 */
async function nextCarts(
  { db, storeId }: StoreTx,
  options: PlanCriteria,
  run: RunToPlan,
  limit: number,
): Promise<Place[]> {
  const behind =
    run.cursor_at && run.cursor_id
      ? sql`and (c.last_activity_at, c.id) < (${run.cursor_at}::timestamptz, ${run.cursor_id}::uuid)`
      : sql``
  const { rows } = await sql<Place>`
    select c.id, c.last_activity_at from ${newcomers(storeId, options, run.started_at)} ${behind}
      and not ${isInRun(options.campaignId, run.id)}
    order by c.last_activity_at desc, c.id desc limit ${limit}`.execute(db)
  return rows
}

/**
 * Creates one message for each cart that is still abandoned and returns how many. Their lock prevents a merge with
 * another cart meanwhile (S6). A cart with a planned message is not closed before 7 days have passed (S5).
 */
async function planCarts(
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
    extended as (
      update carts c set lost_at = due.at + interval '7 days' from due
      where c.store_id = ${storeId} and c.id = due.id and c.lost_at < due.at + interval '7 days')
    insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step_id, step, channel, state, due_at, expires_at, wake_at,
      template_id, created_at, updated_at)
    select ${storeId}, gen_random_uuid(), due.id, due.shopper_id, 'campaign', ${campaignId}, due.run_id, due.run, due.type, ${SCHEDULED},
      due.at, due.at + ${MAX_AGE}, due.at, due.template_id, ${now}, ${now}
    from due on conflict do nothing returning 1`.execute(db)
  return rows.length
}

interface ChosenRow {
  shopper_id: string
  /** The most recently abandoned cart; null: the person has none. */
  cart_id: string | null
  later_ms: number
}

/** Chosen people who have not had the campaign: about their cart, or at all where a message needs no cart. */
async function chosenPeople(
  { db, storeId }: StoreTx,
  { campaignId, runId }: { campaignId: string; runId: string },
): Promise<ChosenRow[]> {
  const { rows } = await sql<ChosenRow>`
    select s.id as shopper_id, c.id as cart_id, extract(epoch from ${spreadOver(sql`s.id`)}) * 1000 as later_ms
    from (select distinct k.shopper_id from campaign_people p
      join shopper_keys k on k.store_id = p.store_id and ${isKeyOfAddress(sql`p.address`)}
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

interface Place {
  id: string
  last_activity_at: Date
}

/** Whether any campaign is due, or has begun and not ended. The queries below find only such campaigns. */
async function hasCampaignWork(db: Db, now: Date): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select 1 from campaigns g where (g.next_run_at <= ${now} or g.run > 0) and ${isRunningCampaign})
      or exists (select 1 from campaign_runs where planned_at is null) as has`.execute(db)
  return rows[0]!.has
}

/** Due campaigns of connected stores. */
async function dueCampaigns(db: Db, now: Date, limit: number): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select g.store_id, g.id from campaigns g join stores s on s.id = g.store_id and s.is_active
    where g.next_run_at <= ${now} and g.next_run_at is not null and ${isRunningCampaign}
    order by g.next_run_at limit ${limit}`.execute(db)
  return rows
}

/** Campaigns whose next run was computed in another time zone than the store's. */
async function campaignsOfOtherZones(db: Db, limit: number): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select g.store_id, g.id from campaigns g join stores s on s.id = g.store_id and s.time_zone <> g.run_zone
    where g.next_run_at is not null and ${isRunningCampaign} limit ${limit}`.execute(db)
  return rows
}

/** False: another process holds the campaign, or it is no longer due. */
async function claimDue({ db, storeId }: StoreTx, id: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    select 1 from campaigns g where g.store_id = ${storeId} and g.id = ${id} and g.next_run_at <= ${now} and ${isRunningCampaign}
    for no key update skip locked`.execute(db)
  return rows.length > 0
}

/**
 * Campaigns of connected stores with rows still to create: a process may have crashed, or the store was disconnected
 * for a while.
 */
async function unplannedCampaigns(db: Db, limit: number): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select distinct r.store_id, r.campaign_id as id from campaign_runs r join stores s on s.id = r.store_id and s.is_active
    where r.planned_at is null limit ${limit}`.execute(db)
  return rows
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

async function finishedCampaigns(db: Db, limit: number): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select g.store_id, g.id from campaigns g where ${isFinished} limit ${limit}`.execute(db)
  return rows
}

/** Requires the campaign's lock: otherwise the subqueries would see the state from before the lock wait. */
async function endCampaign({ db, storeId }: StoreTx, id: string, now: Date): Promise<void> {
  await sql`update campaigns g set status = case when g.sent_now_at is null then 'completed' else 'sent' end, updated_at = ${now}
    where g.store_id = ${storeId} and g.id = ${id} and ${isFinished}`.execute(db)
}

/** Campaigns that were resumed in the middle of a run. */
async function resumedCampaigns(db: Db, limit: number): Promise<CampaignKey[]> {
  const { rows } = await sql<CampaignKey>`
    select g.store_id, g.id from campaigns g where ${isRunningCampaign} and g.run > 0 and g.status = 'scheduled'
      and (${isBeingPlanned} or ${hasUnfinished}) limit ${limit}`.execute(db)
  return rows
}

async function markResumed({ db, storeId }: StoreDb, id: string, now: Date): Promise<void> {
  await sql`update campaigns g set status = 'active', updated_at = ${now}
    where g.store_id = ${storeId} and g.id = ${id} and g.status = 'scheduled' and g.deleted_at is null`.execute(db)
}

/** Closes up to `limit` open messages with a reason; returns how many. */
const cancelSome = (tx: StoreTx, campaignId: string, options: CloseOptions): Promise<number> =>
  closeOpenMessages(tx, campaignId, { ...options, which: sql`true` })

/** Same, for messages to people who are no longer chosen. */
const cancelSkipped = (tx: StoreTx, campaignId: string, options: Omit<CloseOptions, 'reason'>): Promise<number> =>
  closeOpenMessages(tx, campaignId, { ...options, reason: 'campaign_left_out', which: sql`not ${isToChosen}` })

const isToChosen = sql`exists (select 1 from campaign_people p
  join shopper_keys k on k.store_id = p.store_id and ${isKeyOfAddress(sql`p.address`)}
  where p.store_id = messages.store_id and p.campaign_id = messages.origin_id and k.shopper_id = messages.shopper_id)`

interface RetimePlace {
  step: number
  id: string
}

/**
 * Recomputes the due times of a page of open messages after an edit. Returns the last place read; null: none were left.
 * Each message is read once; otherwise every page would read the whole campaign again.
 */
async function retimeSome(
  { db, storeId }: StoreTx,
  campaignId: string,
  { now, limit, after }: { now: Date; limit: number; after: RetimePlace | null },
): Promise<RetimePlace | null> {
  const { rows } = await sql<RetimePlace>`
    with page as materialized (
      select step, id, state, due_at, cart_id, shopper_id, step_id from messages where ${isOfCampaign(storeId, campaignId)}
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
      update messages m set ${becomesDue(sql`t.at`)}, due_at = t.at, expires_at = t.at + ${MAX_AGE}, updated_at = ${now}
      from timed t join open on open.id = t.id where m.store_id = ${storeId} and m.id = open.id)
    select step, id from page order by step desc, id desc limit 1`.execute(db)
  return rows[0] ?? null
}

/** The age limit of a message (D7). */
const MAX_AGE = sql`interval '72 hours'`

/**
 * When a message of run `r` of campaign `g` about cart `c` is due: the later of the run, and the last activity plus the
 * delay. For chosen customers, it is the run.
 * With a spread, each shopper has a fixed offset in it.
 */
const dueAt = (shopperId: ReturnType<typeof sql>) => sql`(
  case when g.audience_type = 'specific_customers' or c.id is null then r.at
    else greatest(r.at, c.last_activity_at + g.delay_hours * interval '1 hour') end
  + ${spreadOver(shopperId)})`

/** Rounded to milliseconds, as all instants are stored. */
const spreadOver = (shopperId: ReturnType<typeof sql>) => sql`(coalesce(g.spread_hours, 0)
  * (('x' || substr(md5(${shopperId}::text || r.id::text), 1, 6))::bit(24)::int * 3600000::bigint / 16777216) * interval '1 millisecond')`

/** undefined: another transaction holds the campaign, for a step or for planning. */
async function lockForPlanning(tx: StoreTx, id: string): Promise<CampaignRow | undefined> {
  const { rows } = await sql`select 1 from campaigns where store_id = ${tx.storeId} and id = ${id}
    for no key update skip locked`.execute(tx.db)
  return rows.length > 0 ? readCampaign(tx, id) : undefined
}
