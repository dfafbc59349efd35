import { setImmediate as breathe } from 'node:timers/promises'
import { lockConnected, readStore } from '../../access/stores/store.ts'
import { AppError, requireFound } from '../../core/common/errors.ts'
import { newId } from '../../core/common/ids.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextLook } from '../../messages/messages/messages.ts'
import { planMessages } from '../../messages/messages/plan.ts'
import { refreshLargeJobStatistics } from '../manual-sends/bulk-sends.ts'
import { type CampaignRow, lockCampaign, lockForPlanning, updateCampaign } from './campaigns-sql.ts'
import { countCustomText, delayRun } from './custom-text.ts'
import { findBlocker, findCartWording } from './gates.ts'
import { pauseAutomatically } from './guard.ts'
import { followJob, planRunsJob } from './jobs.ts'
import * as plan from './plan-sql.ts'
import { dueRun, nextRun, nextRunAfterChange, runTimesOf } from './rules.ts'
import * as sql from './runs-sql.ts'

// Starts due runs, creates their rows in pages of one transaction each, and ends a campaign when no message is open.
// The cursor is stored with the rows, so a run resumes after a crash.

const MAX_STARTED = 100
const MAX_CHECKED = 500

/** Every second, in every process. */
export async function runCampaigns(deps: Deps): Promise<void> {
  const now = deps.now()
  if (!(await sql.hasCampaignWork(deps.db, now))) return
  await forEachCampaign(deps, await sql.dueCampaigns(deps.db, now, MAX_STARTED), startDueRun)
  await forEachCampaign(deps, await sql.unplannedCampaigns(deps.db, MAX_CHECKED), (_, store, campaignId) =>
    enqueuePlanning(deps, store, campaignId),
  )
  await forEachCampaign(deps, await sql.resumedCampaigns(deps.db, MAX_CHECKED), (_, store, id) =>
    sql.markResumed(store, id, now),
  )
  await forEachCampaign(deps, await sql.finishedCampaigns(deps.db, MAX_CHECKED), endIfFinished)
}

/** Locks first: a run that starts concurrently is either visible or waits until the campaign has ended. */
async function endIfFinished(deps: Deps, store: StoreDb<Db>, id: string): Promise<void> {
  await transact(store, async (tx) => {
    if (await lockCampaign(tx, id)) await sql.endCampaign(tx, id, deps.now())
  })
}

/** An error of one campaign does not stop the others. */
async function forEachCampaign(
  deps: Deps,
  campaigns: readonly sql.CampaignKey[],
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
  forEachCampaign(deps, await sql.campaignsOfOtherZones(deps.db, MAX_CHECKED), (_, store, id) =>
    transact(store, async (tx) => {
      const campaign = await lockCampaign(tx, id)
      if (campaign?.next_run_at) await reschedule(deps, tx, campaign)
    }),
  )

async function reschedule(deps: Deps, tx: StoreTx, campaign: CampaignRow): Promise<boolean> {
  const { time_zone: zone } = requireFound(await readStore(tx), 'Store')
  if (zone === campaign.run_zone) return false
  const next = nextRunAfterChange(campaign.run, runTimesOf(campaign), zone, deps.now())
  await updateCampaign(tx, campaign.id, { run_zone: zone, ...(next && { next_run_at: next }) })
  return true
}

async function startDueRun(deps: Deps, store: StoreDb<Db>, id: string): Promise<void> {
  const now = deps.now()
  try {
    await transact(store, async (tx) => {
      if (!(await sql.claimDue(tx, id, now))) return
      const campaign = requireFound(await lockCampaign(tx, id), 'Campaign')
      if (await reschedule(deps, tx, campaign)) return
      const { account_id: accountId } = requireFound(await readStore(tx), 'Store')
      const wanted = { ...campaign, isPlanned: campaign.is_planned }
      const cause = await findBlocker({ accountId, db: tx.db }, now, wanted)
      if (cause) return pauseAutomatically(tx, campaign, { cause }, now)
      if (await findCartWording(deps, accountId, campaign))
        return pauseAutomatically(tx, campaign, { cause: 'cart_words' }, now)
      const zone = campaign.run_zone
      const times = runTimesOf(campaign)
      // Missed runs are merged into the newest.
      const at = dueRun(times, zone, campaign.next_run_at!, now)
      await startRun(deps, tx, campaign, { at, next: nextRun(times, zone, now) })
    })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error
    await delayRun(store, id, { waitS: error.retryAfterS ?? MINUTE_S, now })
  }
}

const MINUTE_S = 60

/** Throws `rate_limited` while the limit of a young account does not allow so many mails with custom text. */
export async function startRun(
  deps: Deps,
  tx: StoreTx,
  campaign: CampaignRow,
  { at, next }: { at: Date; next: Date | null },
): Promise<void> {
  const now = deps.now()
  await countCustomText(deps, tx, campaign)
  const run = campaign.run + 1
  await sql.insertRun(tx, { campaignId: campaign.id, run, id: newId(), at, now })
  await updateCampaign(tx, campaign.id, { status: 'active', run, next_run_at: next, put_off_by: null, updated_at: now })
  await enqueuePlanning(deps, tx, campaign.id)
}

const enqueuePlanning = (deps: Deps, { db, storeId }: StoreDb, campaignId: string) =>
  deps.jobs.enqueue(db, planRunsJob, { storeId, campaignId }, campaignId)

const PAGE = 1_000
/** After so many new rows, table statistics are outdated. */
const REFRESH_AFTER = 5 * PAGE

/** One process at a time; a second one returns, because waiting workers would hold queue slots and connections. */
export async function planRuns(
  deps: Deps,
  { storeId, campaignId }: { storeId: string; campaignId: string },
  rowsAPage = PAGE,
): Promise<void> {
  const store = { storeId, db: deps.db }
  let planned = 0
  for (;;) {
    const made = await transact(store, (tx) => planPage(deps, tx, campaignId, rowsAPage))
    if (made === null) break
    if (planned < REFRESH_AFTER && planned + made >= REFRESH_AFTER)
      await refreshLargeJobStatistics(deps, store, REFRESH_AFTER)
    planned += made
    await breathe()
  }
  await refreshLargeJobStatistics(deps, store, planned)
}

/**
 * Returns how many rows were created; null: nothing is left to plan, the store is not connected, or another process
 * holds the campaign.
 * `runCampaigns` enqueues the rest of connected stores every second.
 */
async function planPage(deps: Deps, tx: StoreTx, campaignId: string, rowsAPage: number): Promise<number | null> {
  const now = deps.now()
  const campaign = (await lockConnected(tx)) ? await lockForPlanning(tx, campaignId) : undefined
  const run = campaign && (await plan.runToPlan(tx, campaignId))
  if (!campaign || !run) return null
  const made =
    campaign.audience_mode === 'matching'
      ? await planMatching(tx, campaign, run, { now, rowsAPage })
      : await planChosen(tx, campaign, run, now)
  await scheduleNextLook(tx)
  return made
}

async function planMatching(
  tx: StoreTx,
  campaign: CampaignRow,
  run: plan.RunToPlan,
  { now, rowsAPage }: { now: Date; rowsAPage: number },
): Promise<number> {
  const carts = await plan.nextCarts(tx, planCriteria(campaign), run, rowsAPage)
  const cartIds = carts.map(({ id }) => id)
  const made = await plan.planCarts(tx, { campaignId: campaign.id, runId: run.id, cartIds, now })
  const last = carts.at(-1)
  if (carts.length === rowsAPage && last) {
    await plan.moveCursor(tx, campaign.id, { run: run.run, at: last.last_activity_at, id: last.id })
  } else await plan.markPlanned(tx, campaign.id, { run: run.run, now })
  return made
}

export const planCriteria = (campaign: CampaignRow): plan.PlanCriteria => ({
  campaignId: campaign.id,
  channel: campaign.type,
  filters: campaign.filters,
})

/** Chosen people are few: one page holds them. */
async function planChosen(tx: StoreTx, campaign: CampaignRow, run: plan.RunToPlan, now: Date): Promise<number> {
  const people = await plan.chosenPeople(tx, { campaignId: campaign.id, runId: run.id })
  return planMessagesFor(tx, campaign, run, { people, now })
}

/** Creates a message for each of these people, about their cart or none, and completes the run. Returns how many. */
export async function planMessagesFor(
  tx: StoreTx,
  { id: campaignId, type: channel, template_id: templateId }: CampaignRow,
  run: Pick<plan.RunToPlan, 'id' | 'run' | 'at'>,
  { people, now }: { people: readonly plan.ChosenRow[]; now: Date },
): Promise<number> {
  const alone = people.filter(({ cart_id }) => cart_id === null)
  const rows = alone.map((each) => ({ id: newId(), shopperId: each.shopper_id, laterMs: each.later_ms }))
  // Lock order: shoppers before carts.
  const lone = await planMessages(tx, {
    origin: { kind: 'campaign', id: campaignId, stepId: run.id, step: run.run },
    ...{ people: rows, purchasesSince: null, channel, templateId },
    ...{ dueAt: run.at, expiresAt: new Date(run.at.getTime() + MOST_AGE_MS), wakeAt: run.at, now },
  })
  const cartIds = people.flatMap(({ cart_id }) => cart_id ?? [])
  const about = await plan.planCarts(tx, { campaignId, runId: run.id, cartIds, now })
  await plan.markPlanned(tx, campaignId, { run: run.run, now })
  return lone.length + about
}

/** The age limit of a message (D7), as in `MOST_AGE`. */
const MOST_AGE_MS = 72 * 3_600_000

const SOME = 1_000

/**
 * Closes the open messages of a cancelled or deleted campaign. For an edited campaign, it closes those of removed
 * people and updates the due times of the others.
 */
export async function followCampaign(
  deps: Deps,
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
  place: sql.RetimePlace | null
}

/** Returns the place reached; null: nothing was left. */
async function updateSomeMessages(
  deps: Deps,
  tx: StoreTx,
  campaignId: string,
  { limit, after }: { limit: number; after: sql.RetimePlace | null },
): Promise<FollowProgress | null> {
  const now = deps.now()
  // Deleted campaigns are not found.
  const campaign = await lockCampaign(tx, campaignId)
  const reason = !campaign ? 'campaign_deleted' : campaign.status === 'cancelled' ? 'campaign_cancelled' : null
  const some = { now, limit }
  const closed =
    !campaign || reason
      ? await sql.cancelSome(tx, campaignId, { reason: reason ?? 'campaign_deleted', ...some })
      : await closeLeftOut(tx, campaign, some)
  const isDone = reason !== null || closed > 0
  const place = isDone ? null : await sql.retimeSome(tx, campaignId, { ...some, after })
  await scheduleNextLook(tx)
  return place || closed > 0 ? { place: place ?? after } : null
}

const closeLeftOut = async (tx: StoreTx, { id, audience_mode }: CampaignRow, some: { now: Date; limit: number }) =>
  audience_mode === 'selected' ? sql.cancelLeftOut(tx, id, some) : 0

/**
 * Applies an edit to open messages. From its commit on, nothing is sent to removed people. New due times and the rest
 * of a large campaign follow in a job.
 */
export async function followEdit(
  deps: Deps,
  tx: StoreTx,
  campaignId: string,
  { isSelected, isRetimed }: { isSelected: boolean; isRetimed: boolean },
): Promise<void> {
  const { storeId } = tx
  const closed = isSelected ? await sql.cancelLeftOut(tx, campaignId, { now: deps.now(), limit: SOME }) : 0
  if (isRetimed || closed === SOME) await deps.jobs.enqueue(tx.db, followJob, { storeId, campaignId }, campaignId)
}
