import { monthOf } from '../billing/rules.ts'
import { channelTraits, isTextChannelName } from '../channels/traits.ts'
import { transact } from '../core/db.ts'
import { withRetry } from '../core/db-away.ts'
import type { Deps } from '../deps.ts'
import { applyReportsOf } from '../outcome/delivery.ts'
import { lockShoppersOf } from '../shoppers/shoppers.ts'
import * as sql from './abandoned-sql.ts'
import { settle } from './settle.ts'
import { isSteady } from './workers.ts'

/** A process that has not been heard of for this long is gone, and nobody will hear the answers it was waiting for. */
const DEAD_AFTER_MS = 12_000

/** No channel waits this long for an answer; it came and could not be written down. Should it still come, it counts. */
const LATE_AFTER_MS = 20 * 60_000

/** Ends of mails. */
const MOST_TOGETHER = 100

/** Nobody's last sign of life is older. */
const NEVER = new Date(0)

/**
 * After a process that is gone: what it had in flight becomes `unknown`, because it may have arrived, and is never resent
 * (D4); what came back of mails is written down to its end; what it had only leased is due again.
 */
export async function closeAbandonedSends(deps: Deps): Promise<number> {
  const now = deps.now()
  const silentSince = new Date(now.getTime() - DEAD_AFTER_MS)
  // After an outage the living are as silent as the dead. Those who are gone for good have no row any more.
  const deadBefore = (await isSteady(deps, silentSince)) ? silentSince : NEVER
  const lateBefore = new Date(now.getTime() - LATE_AFTER_MS)
  const silence = { deadBefore, lateBefore }
  await finishMails(deps, silence)
  let count = 0
  for (const [storeId, submissions] of Map.groupBy(
    await sql.abandonedSends(deps.db, silence),
    ({ store_id: id }) => id,
  ))
    count += await closeSendsOf(deps, storeId, submissions, silence).catch((error) => {
      deps.log.error({ storeId, err: error }, 'messages.sends-not-closed')
      return 0
    })
  const freed = await sql.releaseClaimsOfDead(deps.db, deadBefore, now)
  if (freed > 0) deps.log.warn({ count: freed }, 'messages.released')
  return count + freed
}

/** Mails in flight are settled with the answers written down. Those without an answer wait for one, as texts do. */
async function finishMails(deps: Deps, silence: sql.Silence): Promise<void> {
  for (const [storeId, mails] of Map.groupBy(await sql.abandonedMails(deps.db, silence), ({ store_id: id }) => id))
    await finishMailsOf(deps, storeId, mails).catch((error) =>
      deps.log.error({ storeId, err: error }, 'messages.mails-not-finished'),
    )
}

async function finishMailsOf(deps: Deps, storeId: string, mails: readonly sql.AbandonedMail[]): Promise<void> {
  const { badge } = channelTraits.email
  for (const theirs of Map.groupBy(mails, endingOf).values()) {
    const [{ account_id, worker_id: workerId, sending_at, answer }] = theirs as [sql.AbandonedMail]
    const evaluation = { month: monthOf(sending_at), situation: { account_id } }
    const ending = { evaluation, channel: 'email' as const, mail: { isMailbox: answer?.isMailbox ?? false }, badge }
    const left = theirs.map((mail) => sentMail(deps, mail))
    const write = (some: typeof left) => settle({ ...deps, workerId }, { storeId, db: deps.db }, ending, some)
    for (let from = 0; from < left.length; from += MOST_TOGETHER) {
      const some = left.slice(from, from + MOST_TOGETHER)
      await withRetry(() => write(some)).catch(async (error) => {
        if (some.length === 1) throw error
        // One that cannot be written keeps the others from nothing.
        const ended = await Promise.allSettled(some.map((each) => write([each])))
        const failed = ended.find((each) => each.status === 'rejected')
        if (failed) throw failed.reason
      })
    }
  }
}

/** What ends alike is written down together. */
const endingOf = ({ worker_id, sending_at, answer }: sql.AbandonedMail): string =>
  `${worker_id} ${monthOf(sending_at)} ${answer?.isMailbox ?? false}`

function sentMail(deps: Deps, mail: sql.AbandonedMail) {
  const { id, cart_id, shopper_id, step, attempts, is_manual: isManual } = mail
  const address = mail.to_address ?? ''
  const row = { id, cart_id, shopper_id, step, attempts, channel: 'email' as const, manual: isManual ? {} : null }
  const ready = { row, address, addressHash: deps.secrets.addressHash(address).toString('hex'), composed: null }
  const { sending_at: sendingAt, answer } = mail
  return {
    ready,
    sendingAt,
    outcome: answer?.outcome ?? null,
    answeredAt: answer ? new Date(answer.at) : sendingAt,
  }
}

/** What was reported of a text before counts in the same commit: this process may end as well (D4). */
async function closeSendsOf(
  deps: Deps,
  storeId: string,
  submissions: readonly sql.AbandonedSend[],
  silence: sql.Silence,
): Promise<number> {
  const [{ account_id: accountId }] = submissions as [sql.AbandonedSend]
  const closed = await transact({ storeId, db: deps.db }, async (tx) => {
    await lockShoppersOf(
      tx,
      submissions.map(({ shopper_id: id }) => id),
    )
    const ids = await sql.closeSends(tx, submissions.map(idOf), silence, deps.now())
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
