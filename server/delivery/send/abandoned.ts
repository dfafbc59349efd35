import { formatMonth } from '../../billing/billing/public.ts'
import { type Db, sql, withRetry } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { ChannelName } from '../../messages/channels/public.ts'
import { becomesScheduled, hasWorker, isClaimed, isSending } from '../../messages/messages/public.ts'
import type { Answer } from './settle.ts'
import { hasNoReply, type MessageInFlight, NO_REPLY, settle } from './settle.ts'
import type { Silence } from './turn-sql.ts'
import { isAbandoned } from './turn-sql.ts'

/** A process without a heartbeat for this long is dead, and the replies it waited for are lost. */
const DEAD_AFTER_MS = 12_000

/** Longer than any channel waits for a reply: it came and could not be recorded. A later reply still counts. */
const LATE_AFTER_MS = 20 * 60_000

/** Messages settled per transaction. */
const CHUNK = 100

/** Before every heartbeat. */
const NEVER = new Date(0)

/**
 * Settles the messages that a dead process had in flight, by their stored replies. Without a reply a message becomes
 * `unknown`: it may have arrived, so it is never resent (D4). Rows that were only claimed are due again. Returns the
 * number of `unknown` and released messages.
 */
export async function closeAbandonedSends(deps: Deps): Promise<number> {
  const now = deps.now()
  const silentSince = new Date(now.getTime() - DEAD_AFTER_MS)
  // After an outage no process has a recent heartbeat, so only processes without a row count as dead.
  const deadBefore = (await isSteady(deps, silentSince)) ? silentSince : NEVER
  const lateBefore = new Date(now.getTime() - LATE_AFTER_MS)
  const silence = { deadBefore, lateBefore }
  let count = 0
  for (const [storeId, sends] of Map.groupBy(await abandonedSends(deps.db, silence), ({ store_id: id }) => id))
    count += await settleStoreSends(deps, { storeId, silence }, sends).catch((error) => {
      deps.log.error({ storeId, err: error }, 'messages.sends-not-settled')
      return 0
    })
  const freed = await releaseClaimsOfDead(deps.db, deadBefore, now)
  if (freed > 0) deps.log.warn({ count: freed }, 'messages.released')
  return count + freed
}

/**
 * Returns how many became `unknown`. Messages whose process has sent a heartbeat since they were listed stay as they
 * are.
 */
async function settleStoreSends(
  deps: Deps,
  { storeId, silence }: { storeId: string; silence: Silence },
  sends: readonly AbandonedSend[],
): Promise<number> {
  let unknown = 0
  for (const group of Map.groupBy(sends, buildGroupKey).values()) {
    const [{ account_id, channel, worker_id: workerId, sending_at, answer }] = group as [AbandonedSend]
    const evaluation = { month: formatMonth(sending_at), situation: { account_id } }
    const ending = { evaluation, channel, mail: { isMailbox: answer?.isMailbox ?? false } }
    const write = async (chunk: readonly MessageInFlight[]) => {
      const settled = await settle({ ...deps, workerId }, { storeId, db: deps.db }, ending, chunk, silence)
      const unheard = chunk.filter((each) => hasNoReply(each) && settled.has(each.ready.row.id))
      for (const { ready } of unheard) deps.log.warn({ storeId, messageId: ready.row.id }, 'message.outcome-unknown')
      unknown += unheard.length
    }
    const messages = group.map((each) => toMessageInFlight(deps, each))
    for (let from = 0; from < messages.length; from += CHUNK) {
      const chunk = messages.slice(from, from + CHUNK)
      await withRetry(() => write(chunk)).catch(async (error) => {
        if (chunk.length === 1) throw error
        // One message that cannot be settled must not block the others.
        const ended = await Promise.allSettled(chunk.map((each) => write([each])))
        const failed = ended.find((each) => each.status === 'rejected')
        if (failed) throw failed.reason
      })
    }
  }
  return unknown
}

/** Messages with the same key have the same `Ending` and are settled together. */
const buildGroupKey = ({ worker_id, channel, sending_at, answer }: AbandonedSend): string =>
  `${worker_id} ${channel} ${formatMonth(sending_at)} ${answer?.isMailbox ?? false}`

function toMessageInFlight(deps: Pick<Deps, 'secrets'>, sent: AbandonedSend): MessageInFlight {
  const { id, cart_id, shopper_id, step, attempts, channel, is_manual: isManual, sending_at: sendingAt, answer } = sent
  const address = sent.to_address ?? ''
  const row = { id, cart_id, shopper_id, step, attempts, channel, manual: isManual ? {} : null }
  const ready = {
    row,
    address,
    addressHash: deps.secrets.addressHash(address).toString('hex'),
    composed: getCost(sent),
  }
  return {
    ready,
    sendingAt,
    outcome: answer?.outcome ?? NO_REPLY,
    answeredAt: answer ? new Date(answer.at) : sendingAt,
  }
}

const getCost = ({ cost_micros: amountMicros, cost_currency: currency }: AbandonedSend) =>
  amountMicros === null || currency === null ? null : { cost: { amountMicros, currency } }

// SQL for messages of dead processes: claimed ones, and those in flight whose replies are lost.

interface AbandonedSend {
  store_id: string
  account_id: string
  id: string
  shopper_id: string
  cart_id: string | null
  channel: ChannelName
  is_manual: boolean
  step: number
  attempts: number
  to_address: string | null
  cost_micros: number | null
  cost_currency: string | null
  worker_id: string
  sending_at: Date
  /** null: no reply was stored. */
  answer: Answer | null
}

/** Lists messages in flight that their process did not settle: it died, or its writes failed (D4, D10). */
async function abandonedSends(db: Db, silence: Silence): Promise<AbandonedSend[]> {
  const rows = await sql<AbandonedSend>`
    select m.store_id, s.account_id, m.id, m.shopper_id, m.cart_id, m.channel, m.origin_kind = 'manual' as is_manual, m.step, m.attempts,
      m.to_address, m.cost_micros, m.cost_currency, m.worker_id, m.sending_at, m.answer
    from messages m join stores s on s.id = m.store_id
    where ${isSending('m')} and ${hasWorker('m')} and ${isAbandoned(silence)} order by m.store_id, m.id`.execute(db)
  return rows.rows
}

/** Releases claimed rows of dead processes; they were never in flight. Returns their number. */
export async function releaseClaimsOfDead(db: Db, deadBefore: Date, now: Date): Promise<number> {
  const rows = await sql<{ count: number }>`
    with freed as (
      update messages m set ${becomesScheduled}, wake_at = greatest(m.due_at, ${now}), updated_at = ${now}
      where ${isClaimed('m')} and ${hasWorker('m')} and not exists (select 1 from workers w where w.id = m.worker_id and w.seen_at >= ${deadBefore})
      returning m.store_id),
    bumped as (
      update send_schedule s set next_due_at = least(s.next_due_at, ${now}::timestamptz)
      where s.store_id in (select store_id from freed))
    select count(*)::int as count from freed`.execute(db)
  return rows.rows[0]!.count
}

/**
 * Whether this process has beaten without a gap since then. If so, a process without a heartbeat since then is dead.
 */
async function isSteady({ db, workerId }: Pick<Deps, 'db' | 'workerId'>, since: Date): Promise<boolean> {
  const rows = await sql`select 1 from workers
    where id = ${workerId} and seen_at >= ${since} and steady_since <= ${since}`.execute(db)
  return rows.rows.length > 0
}
