import { monthOf } from '../../billing/billing/rules.ts'
import { withRetry } from '../../core/db/db-away.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './abandoned-sql.ts'
import { isUnheard, type MessageInFlight, settle, UNHEARD } from './settle.ts'
import type { Silence } from './turn-sql.ts'
import { isSteady } from './workers.ts'

/** A process that has not been heard of for this long is gone, and nobody will hear the answers it was waiting for. */
const DEAD_AFTER_MS = 12_000

/** No channel waits this long for an answer; it came and could not be written down. Should it still come, it counts. */
const LATE_AFTER_MS = 20 * 60_000

/** What is written down together. */
const MOST_TOGETHER = 100

/** Nobody's last sign of life is older. */
const NEVER = new Date(0)

/**
 * After a process that is gone: what it had in flight comes to the end that its answer says; without one it becomes `unknown`, because it may have
 * arrived, and is never resent (D4). What it had only leased is due again.
 */
export async function closeAbandonedSends(deps: Deps): Promise<number> {
  const now = deps.now()
  const silentSince = new Date(now.getTime() - DEAD_AFTER_MS)
  // After an outage the living are as silent as the dead. Those who are gone for good have no row any more.
  const deadBefore = (await isSteady(deps, silentSince)) ? silentSince : NEVER
  const lateBefore = new Date(now.getTime() - LATE_AFTER_MS)
  const silence = { deadBefore, lateBefore }
  let count = 0
  for (const [storeId, sends] of Map.groupBy(await sql.abandonedSends(deps.db, silence), ({ store_id: id }) => id))
    count += await settleSendsOf(deps, { storeId, silence }, sends).catch((error) => {
      deps.log.error({ storeId, err: error }, 'messages.sends-not-settled')
      return 0
    })
  const freed = await sql.releaseClaimsOfDead(deps.db, deadBefore, now)
  if (freed > 0) deps.log.warn({ count: freed }, 'messages.released')
  return count + freed
}

/** Returns how many became `unknown`. A process that was heard of since they were listed keeps its own. */
async function settleSendsOf(
  deps: Deps,
  { storeId, silence }: { storeId: string; silence: Silence },
  sends: readonly sql.AbandonedSend[],
): Promise<number> {
  let unknown = 0
  for (const theirs of Map.groupBy(sends, endingOf).values()) {
    const [{ account_id, channel, worker_id: workerId, sending_at, answer }] = theirs as [sql.AbandonedSend]
    const evaluation = { month: monthOf(sending_at), situation: { account_id } }
    const ending = { evaluation, channel, mail: { isMailbox: answer?.isMailbox ?? false } }
    const write = async (some: readonly MessageInFlight[]) => {
      const settled = await settle({ ...deps, workerId }, { storeId, db: deps.db }, ending, some, silence)
      const unheard = some.filter((each) => isUnheard(each) && settled.has(each.ready.row.id))
      for (const { ready } of unheard) deps.log.warn({ storeId, messageId: ready.row.id }, 'message.outcome-unknown')
      unknown += unheard.length
    }
    const messages = theirs.map((each) => sentMessage(deps, each))
    for (let from = 0; from < messages.length; from += MOST_TOGETHER) {
      const some = messages.slice(from, from + MOST_TOGETHER)
      await withRetry(() => write(some)).catch(async (error) => {
        if (some.length === 1) throw error
        // One that cannot be written keeps the others from nothing.
        const ended = await Promise.allSettled(some.map((each) => write([each])))
        const failed = ended.find((each) => each.status === 'rejected')
        if (failed) throw failed.reason
      })
    }
  }
  return unknown
}

/** What ends alike is written down together. */
const endingOf = ({ worker_id, channel, sending_at, answer }: sql.AbandonedSend): string =>
  `${worker_id} ${channel} ${monthOf(sending_at)} ${answer?.isMailbox ?? false}`

function sentMessage(deps: Deps, sent: sql.AbandonedSend): MessageInFlight {
  const { id, cart_id, shopper_id, step, attempts, channel, is_manual: isManual, sending_at: sendingAt, answer } = sent
  const address = sent.to_address ?? ''
  const row = { id, cart_id, shopper_id, step, attempts, channel, manual: isManual ? {} : null }
  const ready = {
    row,
    address,
    addressHash: deps.secrets.addressHash(address).toString('hex'),
    composed: pricedOf(sent),
  }
  return {
    ready,
    sendingAt,
    outcome: answer?.outcome ?? UNHEARD,
    answeredAt: answer ? new Date(answer.at) : sendingAt,
  }
}

const pricedOf = ({ cost_micros: amountMicros, cost_currency: currency }: sql.AbandonedSend) =>
  amountMicros === null || currency === null ? null : { cost: { amountMicros, currency } }
