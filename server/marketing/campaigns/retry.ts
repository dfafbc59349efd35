import { campaignTexts } from '../../../shared/campaigns.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import { AppError, found } from '../../core/common/errors.ts'
import { newId } from '../../core/common/ids.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextLook } from '../../messages/messages/messages.ts'
import { type CampaignRow, lockCampaign, updateCampaign } from './campaigns-sql.ts'
import { countOwnWords } from './own-words.ts'
import { type Failed, retryableOf } from './retry-sql.ts'
import { planAbout } from './runs.ts'
import { insertRun } from './runs-sql.ts'
import { assertMaySend } from './steps.ts'

// The failed of a campaign once more (area decision 48): a run of their own, so that each is a new message with a key of its own (D1). What is
// unknown stays so (D4).

/** At once; what is left can be asked for again. */
export const MOST_RETRIED = 10_000

/** Answers how many. Of two requests at once the second finds none. */
export async function retryFailed(deps: Deps, store: StoreDb<Db>, id: string): Promise<number> {
  await assertMaySend(deps, store, id)
  return transact(store, async (tx) => {
    const campaign = found(await lockCampaign(tx, id), 'Campaign')
    if (campaign.status === 'paused' || campaign.status === 'cancelled') {
      throw new AppError('conflict', campaignTexts.badStep)
    }
    const failed = await retryableOf(tx, id, MOST_RETRIED)
    return failed.length === 0 ? 0 : runAgainFor(deps, tx, campaign, failed)
  })
}

async function runAgainFor(deps: Deps, tx: StoreTx, campaign: CampaignRow, failed: readonly Failed[]): Promise<number> {
  const now = deps.now()
  await countOwnWords(deps, tx, campaign, failed.length)
  const run = { run: campaign.run + 1, id: newId(), at: now }
  await insertRun(tx, { campaignId: campaign.id, now, ...run })
  const made = await planAbout(tx, campaign, run, { people: failed.map((each) => ({ ...each, later_ms: 0 })), now })
  await updateCampaign(tx, campaign.id, { status: 'active', run: run.run, updated_at: now })
  await scheduleNextLook(tx)
  return made
}
