import { takeOwnText } from '../../access/members/public.ts'
import { notify } from '../../access/notifications/public.ts'
import { readStore } from '../../access/stores/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { isBuiltInBody, isBuiltInSubject } from '../../messages/templates/public.ts'
import { type CampaignRow, lockCampaign, readPeople, updateCampaign } from './campaigns-sql.ts'
import { countNewcomers } from './plan-sql.ts'
import { isRunning } from './rules.ts'

/** Above the daily limit of every limited account. */
const MAX_COUNTED = 5_001

/** Limits mails with custom text from young accounts. A starting run counts its audience, or takes `known`. */
export async function countCustomText(
  deps: Pick<Deps, 'config' | 'now' | 'secrets'>,
  tx: StoreTx,
  campaign: CampaignRow,
  known?: number,
): Promise<void> {
  const { type, subject, body, design } = campaign
  if (type !== 'email' || (!design && isBuiltInBody(body) && isBuiltInSubject(subject))) return
  const { account_id: accountId } = requireFound(await readStore(tx), 'Store')
  const count = known ?? (await countPeople(deps, tx, campaign))
  if (count > 0) await takeOwnText(deps, { accountId, db: tx.db }, count)
}

async function countPeople(deps: Pick<Deps, 'now'>, tx: StoreTx, { id, type, audience_mode, filters }: CampaignRow) {
  if (audience_mode === 'selected') return (await readPeople(tx, [id])).length
  return countNewcomers(tx, { campaignId: id, channel: type, filters }, { now: deps.now(), max: MAX_COUNTED })
}

/** Delays a run that the limit blocks; the owner is notified the first time. */
export async function delayRun(
  store: StoreDb<Db>,
  id: string,
  { waitS, now }: { waitS: number; now: Date },
): Promise<void> {
  const nextTry = new Date(now.getTime() + waitS * 1_000)
  await transact(store, async (tx) => {
    const campaign = await lockCampaign(tx, id)
    // Another process started or paused it first.
    if (!campaign?.next_run_at || campaign.next_run_at > now || !isRunning(campaign)) return
    await updateCampaign(tx, id, { next_run_at: nextTry, put_off_by: 'own_words' })
    if (campaign.put_off_by !== null) return
    const data = { campaignId: id, name: campaign.name, nextTry: nextTry.toISOString() }
    await notify(tx, { type: 'campaign_postponed', data, at: now })
  })
}
