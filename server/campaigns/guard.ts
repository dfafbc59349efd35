import { type Db, type StoreDb, type StoreTx, transact } from '../core/db.ts'
import type { Deps } from '../deps.ts'
import { notify } from '../notifications/notifications.ts'
import { type CampaignRow, lockCampaign, updateCampaign } from './campaigns-sql.ts'
import { campaignsWithReturns, countAccepted } from './guard-sql.ts'
import { brakeOf, LEAST_BOUNCED, LEAST_COMPLAINED, statusAfter } from './rules.ts'

// Too many messages of a running campaign come back or are reported as spam: it is paused and its owner told (area decision 50). What is open
// of it stays open; a member resumes or cancels it. After that only what leaves from then on counts, or it could not be resumed.

const MOST = 100

export async function guardCampaigns(deps: Deps): Promise<void> {
  const least = { bounced: LEAST_BOUNCED, complained: LEAST_COMPLAINED, limit: MOST }
  for (const { store_id: storeId, id, ...returned } of await campaignsWithReturns(deps.db, least)) {
    const store = { storeId, db: deps.db }
    const accepted = await countAccepted(store, id)
    const cause = brakeOf({ accepted, ...returned })
    if (!cause) continue
    const count = cause === 'bounces' ? returned.bounced : returned.complained
    await pause(deps, store, id, { cause, count, accepted })
    deps.log.warn({ storeId, campaignId: id, cause, count, accepted }, 'campaigns.guard')
  }
}

type Cause =
  | { cause: 'bounces' | 'complaints'; count: number; accepted: number }
  /** A run was due that the account's plan, or an overdue payment, does not allow. */
  | { cause: 'plan' | 'payment' }

async function pause(deps: Deps, store: StoreDb<Db>, id: string, found: Cause): Promise<void> {
  const now = deps.now()
  await transact(store, async (tx) => {
    const campaign = await lockCampaign(tx, id)
    // Somebody was faster.
    if (!campaign || !['scheduled', 'active'].includes(campaign.status)) return
    await pauseFor(tx, campaign, found, now)
    await updateCampaign(tx, id, { watched_from: now })
  })
}

/** Without a member; its owner is told. Only Play resumes it. */
export async function pauseFor(tx: StoreTx, { id, name, status }: CampaignRow, found: Cause, now: Date): Promise<void> {
  const paused = { status: statusAfter(status, 'pause')!, paused_by: found.cause, put_off_by: null, updated_at: now }
  await updateCampaign(tx, id, paused)
  await notify(tx, { type: 'campaign_paused', data: { campaignId: id, name, ...found }, at: now })
}
