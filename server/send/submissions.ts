import { isTextChannelName } from '../channels/traits.ts'
import { transact } from '../core/db.ts'
import type { Deps } from '../deps.ts'
import { applyReportsOf } from '../outcome/delivery.ts'
import { lockShoppersOf } from '../shoppers/shoppers.ts'
import * as sql from './submissions-sql.ts'
import { isSteady } from './workers.ts'

/** A process that has not been heard of for this long is gone, and nobody will hear the answers it was waiting for. */
const DEAD_AFTER_MS = 12_000

/** No channel waits this long for an answer; it came and could not be written down. Should it still come, it counts. */
const LATE_AFTER_MS = 20 * 60_000

/** Nobody's last sign of life is older. */
const NEVER = new Date(0)

/**
 * After a process that is gone: what it had on the wire becomes `unknown`, because it may have arrived, and is never resent
 * (D4); what it had only leased is due again.
 */
export async function closeAbandonedSubmissions(deps: Deps): Promise<number> {
  const now = deps.now()
  const silentSince = new Date(now.getTime() - DEAD_AFTER_MS)
  // After an outage the living are as silent as the dead. Those who are gone for good have no row any more.
  const deadBefore = (await isSteady(deps, silentSince)) ? silentSince : NEVER
  const lateBefore = new Date(now.getTime() - LATE_AFTER_MS)
  const silence = { deadBefore, lateBefore }
  let count = 0
  for (const [storeId, submissions] of Map.groupBy(
    await sql.abandonedSubmissions(deps.db, silence),
    ({ store_id: id }) => id,
  ))
    count += await closeSubmissionsOf(deps, storeId, submissions, silence).catch((error) => {
      deps.log.error({ storeId, err: error }, 'messages.submissions-not-closed')
      return 0
    })
  const freed = await sql.releaseClaimsOfDead(deps.db, deadBefore, now)
  if (freed > 0) deps.log.warn({ count: freed }, 'messages.released')
  return count + freed
}

/** What was reported of a text before counts in the same commit: this process may end as well (D4). */
async function closeSubmissionsOf(
  deps: Deps,
  storeId: string,
  submissions: readonly sql.AbandonedSubmission[],
  silence: sql.Silence,
): Promise<number> {
  const [{ account_id: accountId }] = submissions as [sql.AbandonedSubmission]
  const closed = await transact({ storeId, db: deps.db }, async (tx) => {
    await lockShoppersOf(
      tx,
      submissions.map(({ shopper_id: id }) => id),
    )
    const ids = await sql.closeSubmissions(tx, submissions.map(idOf), silence, deps.now())
    for (const [channel, theirs] of Map.groupBy(submissions, (submission) => submission.channel)) {
      const messageIds = theirs.map(idOf).filter((id) => ids.has(id))
      if (isTextChannelName(channel) && messageIds.length > 0)
        await applyReportsOf(deps, tx, { accountId, channel, messageIds })
    }
    return ids
  })
  for (const messageId of closed) deps.log.warn({ storeId, messageId }, 'message.outcome-unknown')
  return closed.size
}

const idOf = ({ id }: { id: string }): string => id
