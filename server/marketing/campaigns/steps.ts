import { type CampaignView, campaignTexts } from '../../../shared/marketing/campaigns.ts'
import { readStore } from '../../access/stores/public.ts'
import { loadEntitlements } from '../../billing/billing/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { type AccountDb, type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { isHeld, scheduleNextRun, wakeStoreMessages } from '../../messages/messages/public.ts'
import { type IdempotentRequest, withIdempotencyKey } from '../manual-sends/public.ts'
import { type CampaignRow, lockCampaign, readCampaign, updateCampaign } from './campaigns-sql.ts'
import { assertPlanAllows, assertSenderReady, rejectCartWording } from './gates.ts'
import { followJob } from './jobs.ts'
import { viewCampaign } from './present.ts'
import { getRunTimes, getStatusAfter, isPlayedByTime, runAgain, type Step } from './rules.ts'
import { startRun } from './runs.ts'
import type { CloseOptions } from './runs-sql.ts'
import { closeOpenMessages } from './runs-sql.ts'

// Steps on an existing campaign (B 4). Each is one commit: from then on nothing is sent that must not be (D5).

/** Throws if B 4 does not allow the step. */
async function step(tx: StoreTx, id: string, requestedStep: Step) {
  const campaign = requireFound(await lockCampaign(tx, id), 'Campaign')
  const status = getStatusAfter(campaign.status, requestedStep)
  if (status === null) throw new AppError('conflict', campaignTexts.badStep)
  return { campaign, status }
}

/** Open messages continue as rows: none is lost, none repeated (D5). */
export async function playCampaign(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'now'>,
  store: StoreDb<Db>,
  id: string,
): Promise<CampaignView> {
  await assertMaySend(deps, store, id, isPlayedByTime)
  await transact(store, async (tx) => {
    const { campaign, status } = await step(tx, id, 'play')
    if (status === campaign.status) return
    const now = deps.now()
    const { time_zone: zone } = requireFound(await readStore(tx), 'Store')
    const isOver = campaign.status !== 'paused'
    const due = campaign.next_run_at
    const isMissed = isOver || (due !== null && due <= now)
    await updateCampaign(tx, id, {
      status,
      paused_by: null,
      updated_at: now,
      ...(isOver && { sent_now_at: null }),
      ...(isMissed && { next_run_at: runAgain(getRunTimes(campaign), zone, now), run_zone: zone }),
    })
    await wakeStoreMessages(tx, ['campaign_paused', 'sender_missing'], now)
    await scheduleNextRun(tx)
  })
  return viewCampaign(store, id)
}

export async function pauseCampaign(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, id: string): Promise<CampaignView> {
  await transact(store, async (tx) => {
    const { campaign, status } = await step(tx, id, 'pause')
    if (status === campaign.status) return
    await updateCampaign(tx, id, { status, paused_by: null, put_off_by: null, updated_at: deps.now() })
  })
  return viewCampaign(store, id)
}

export async function cancelCampaign(
  deps: Pick<Deps, 'jobs' | 'now'>,
  store: StoreDb<Db>,
  id: string,
): Promise<CampaignView> {
  await transact(store, async (tx) => {
    const { campaign, status } = await step(tx, id, 'cancel')
    if (status === campaign.status) return
    const now = deps.now()
    await updateCampaign(tx, id, { status, next_run_at: null, put_off_by: null, updated_at: now })
    await close(deps, tx, id)
  })
  return viewCampaign(store, id)
}

/** The rows and the report stay. */
export async function deleteCampaign(deps: Pick<Deps, 'jobs' | 'now'>, store: StoreDb<Db>, id: string): Promise<void> {
  await transact(store, async (tx) => {
    await step(tx, id, 'delete')
    const now = deps.now()
    await updateCampaign(tx, id, { deleted_at: now, next_run_at: null, updated_at: now })
    await close(deps, tx, id)
  })
}

/** Sending stops with this commit; a job closes the rows afterwards in chunks. */
async function close(deps: Pick<Deps, 'jobs' | 'now'>, tx: StoreTx, id: string): Promise<void> {
  await endPlanning(tx, id, deps.now())
  await deps.jobs.enqueue(tx.db, followJob, { storeId: tx.storeId, campaignId: id }, id)
}

const DROP_CHUNK = 2_000

/** Closes the held messages for good; other open messages continue. Returns how many were closed. */
export async function cancelHeldMessages(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, id: string): Promise<number> {
  for (let dropped = 0; ; ) {
    const some = await transact(store, async (tx) => {
      requireFound(await lockCampaign(tx, id), 'Campaign')
      const closed = await cancelHeld(tx, id, { now: deps.now(), limit: DROP_CHUNK })
      await scheduleNextRun(tx)
      return closed
    })
    dropped += some
    if (some < DROP_CHUNK) return dropped
  }
}

export async function sendNow(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'jobs' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  id: string,
): Promise<CampaignView> {
  await assertMaySend(deps, store, id)
  await withIdempotencyKey(deps, store, request, {
    make: async (tx) => {
      const { campaign, status } = await step(tx, id, 'send_now')
      if (status === 'active') await sendNowIn(deps, tx, campaign)
    },
    answer: async () => ({ id }),
    isUndone: () => isStopped(store, id),
  })
  return viewCampaign(store, id)
}

/** A click on Send after a pause counts, however soon after it. */
async function isStopped(store: StoreDb, id: string): Promise<boolean> {
  const campaign = await readCampaign(store, id)
  return campaign?.status === 'paused' || campaign?.status === 'cancelled'
}

/**
 * The Send of a list row (decision 125): like Send Now for a campaign that is not over; an ended campaign is
 * reopened.
 */
export async function sendAgain(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'jobs' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  id: string,
): Promise<CampaignView> {
  const { audience_type } = await assertMaySend(deps, store, id)
  if (audience_type !== 'abandoned_carts') throw new AppError('unprocessable', campaignTexts.onlyAbandoned)
  await withIdempotencyKey(deps, store, request, {
    make: async (tx) => sendNowIn(deps, tx, (await step(tx, id, 'send')).campaign),
    answer: async () => ({ id }),
    isUndone: () => isStopped(store, id),
  })
  return viewCampaign(store, id)
}

/** Starts a run for people who have not had the campaign, and ends the schedule. */
export async function sendNowIn(
  deps: Pick<Deps, 'config' | 'jobs' | 'now' | 'secrets'>,
  tx: StoreTx,
  campaign: CampaignRow,
): Promise<void> {
  const now = deps.now()
  await startRun(deps, tx, campaign, { at: now, next: null })
  await updateCampaign(tx, campaign.id, { sent_now_at: now, paused_by: null })
  await wakeStoreMessages(tx, ['campaign_paused', 'sender_missing'], now)
  await scheduleNextRun(tx)
}

/**
 * Checks the plan and the sender. It checks the plan for a single immediate run, unless `isPlanned` shows that the
 * schedule counts.
 */
export async function assertMaySend(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'now'>,
  store: StoreDb<Db>,
  id: string,
  isByTime: (campaign: CampaignRow, zone: string, now: Date) => boolean = () => false,
): Promise<CampaignRow> {
  const campaign = requireFound(await readCampaign(store, id), 'Campaign')
  const row = requireFound(await readStore(store), 'Store')
  const isPlanned = isByTime(campaign, row.time_zone, deps.now())
  const account = { accountId: row.account_id, db: store.db }
  await assertPaid(account, deps.now())
  await assertPlanAllows(deps, account, { ...campaign, isPlanned })
  await assertSenderReady(deps, { account, store }, row, campaign.type)
  await rejectCartWording(deps, row.account_id, campaign)
  return campaign
}

async function assertPaid(account: AccountDb, now: Date): Promise<void> {
  const { whyNot } = await loadEntitlements(account, now)
  if (whyNot === 'payment_overdue') throw new AppError('plan_required', campaignTexts.paymentOverdue)
}

/** Stops creating rows for runs that have begun. */
async function endPlanning({ db, storeId }: StoreTx, campaignId: string, now: Date): Promise<void> {
  await db
    .updateTable('campaign_runs')
    .set({ planned_at: now })
    .where('store_id', '=', storeId)
    .where('campaign_id', '=', campaignId)
    .where('planned_at', 'is', null)
    .execute()
}

/** Same, for held messages. */
const cancelHeld = (tx: StoreTx, campaignId: string, requestedStep: Omit<CloseOptions, 'reason'>): Promise<number> =>
  closeOpenMessages(tx, campaignId, { ...requestedStep, reason: 'campaign_dropped', which: isHeld('messages') })
