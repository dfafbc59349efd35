import { campaignTexts } from '../../../shared/marketing/campaigns.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, sql, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextRun } from '../../messages/messages/public.ts'
import { type CampaignRow, lockCampaign, updateCampaign } from './campaigns-sql.ts'
import { countCustomText } from './custom-text.ts'
import { isRetryable } from './fragments.ts'
import { planMessagesFor } from './runs.ts'
import { insertRun } from './runs-sql.ts'
import { assertMaySend } from './steps.ts'

// Retries the failed messages of a campaign (decision 48) in a run of their own: each retry is a new message with
// its own key (D1). Messages with an unknown result are not retried (D4).

/** Per request; a further request retries the rest. */
export const MAX_RETRIED = 10_000

/** Returns how many. Of two concurrent requests the second finds none. */
export async function retryFailed(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  id: string,
): Promise<number> {
  await assertMaySend(deps, store, id)
  return transact(store, async (tx) => {
    const campaign = requireFound(await lockCampaign(tx, id), 'Campaign')
    if (campaign.status === 'paused' || campaign.status === 'cancelled') {
      throw new AppError('conflict', campaignTexts.badStep)
    }
    const failed = await findRetryable(tx, id, MAX_RETRIED)
    return failed.length === 0 ? 0 : createRetryRun(deps, tx, campaign, failed)
  })
}

async function createRetryRun(
  deps: Pick<Deps, 'config' | 'now' | 'secrets'>,
  tx: StoreTx,
  campaign: CampaignRow,
  failed: readonly FailedMessage[],
): Promise<number> {
  const now = deps.now()
  await countCustomText(deps, tx, campaign, failed.length)
  const run = { run: campaign.run + 1, id: createId(), at: now }
  await insertRun(tx, { campaignId: campaign.id, now, ...run })
  const planned = await planMessagesFor(tx, campaign, run, {
    people: failed.map((each) => ({ ...each, later_ms: 0 })),
    now,
  })
  await updateCampaign(tx, campaign.id, { status: 'active', run: run.run, updated_at: now })
  await scheduleNextRun(tx)
  return planned
}

// Statement for the failed messages of a campaign.

interface FailedMessage {
  shopper_id: string
  /** null: the message is about no cart. */
  cart_id: string | null
}

async function findRetryable({ db, storeId }: StoreTx, campaignId: string, limit: number): Promise<FailedMessage[]> {
  const { rows } = await sql<FailedMessage>`
    select m.shopper_id, m.cart_id from messages m
    where m.store_id = ${storeId} and m.origin_kind = 'campaign' and m.origin_id = ${campaignId} and ${isRetryable}
    order by m.step, m.id limit ${limit}`.execute(db)
  return rows
}
