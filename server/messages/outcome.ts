import type { ChannelName, Cost, Outcome } from '../channels/channel.ts'
import { channelTraits, isTextChannelName } from '../channels/traits.ts'
import type { StoreTx } from '../db.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { backOff } from './decide.ts'
import * as sql from './deliver-sql.ts'
import { applyReportsOf } from './delivery.ts'
import { isText, type Judged, type Ready } from './judge.ts'
import type * as load from './judge-sql.ts'
import * as spend from './spend-sql.ts'
import { spaceNextSteps } from './sql.ts'

// What became of hand-overs, written down for several at once (engine, "Sending").

export interface Finished {
  ready: Ready
  outcome: Outcome
  /** Which of its hand-overs this is the end of. */
  handedOverAt: Date
}

/** Whose end is written down: what was judged, and the channel all of them left by. */
export interface Ending {
  judged: Judged
  channel: ChannelName
}

export async function recordOutcomes(deps: Deps, tx: StoreTx, ending: Ending, done: readonly Finished[]) {
  const now = deps.now()
  const moved = await sql.applyOutcomes(
    tx,
    deps.workerId,
    done.map((each) => outcomeRow(each, now)),
    now,
  )
  const changed = done.filter(({ ready }) => moved.has(ready.row.id))
  // What has not gone out keeps nothing at a distance any longer. A message by hand has no steps behind it.
  const back = changed.filter(({ ready, outcome }) => !isOut(outcome) && ready.row.by_hand === null).map(idOf)
  if (back.length > 0) await spaceNextSteps(tx, back, now)
  for (const { ready, outcome } of changed) {
    if (outcome.kind === 'rejected' || outcome.kind === 'retry') await takeBack(tx, ending, ready.row.id)
    if (outcome.kind === 'rejected') await suppressRefused(deps, tx, ending, { ready, outcome, now })
  }
  if (!isTextChannelName(ending.channel)) return
  await settleCosts(tx, ending, changed)
  const messageIds = changed.filter(({ outcome }) => isOut(outcome)).map(idOf)
  if (messageIds.length === 0) return
  const accountId = ending.judged.situation.account_id
  await applyReportsOf(deps, tx, { accountId, channel: ending.channel, messageIds })
}

const isOut = ({ kind }: Outcome): boolean => kind === 'accepted' || kind === 'unknown'
const idOf = ({ ready }: Finished): string => ready.row.id

async function takeBack(tx: StoreTx, { judged, channel }: Ending, messageId: string): Promise<void> {
  await sql.undoBadge(tx, messageId)
  await sql.addUsage(tx, judged.situation.account_id, judged.month, channel, -1)
}

/** Booked by the price list at the hand-over; now by what it was, and nothing where nothing was taken. */
async function settleCosts(tx: StoreTx, { judged }: Ending, changed: readonly Finished[]): Promise<void> {
  const settled = changed.flatMap(({ ready, outcome }) => {
    const booked = isText(ready.composed) ? ready.composed.cost : null
    const cost = finalCost(booked, outcome)
    if (!booked || !cost) return []
    const segments = outcome.kind === 'accepted' ? (outcome.segments ?? null) : null
    return [{ id: ready.row.id, segments, cost, booked }]
  })
  await spend.correctCosts(tx, settled)
  const corrections = settled.flatMap(({ booked, cost }) => [{ ...booked, amountMicros: -booked.amountMicros }, cost])
  await spend.bookSpend(tx, judged.situation.account_id, judged.month, corrections)
}

/** null: what was booked stands. */
function finalCost(booked: Cost | null, outcome: Outcome): Cost | null {
  if (!booked || outcome.kind === 'unknown') return null
  if (outcome.kind === 'accepted') return outcome.cost ?? null
  return { ...booked, amountMicros: 0 }
}

function outcomeRow({ ready, outcome, handedOverAt }: Finished, now: Date): sql.OutcomeRow {
  const { row, addressHash } = ready
  const base = {
    id: row.id,
    handed_over_at: handedOverAt,
    response: outcome.response,
    provider_id: null,
    wake_at: null,
    address_hash: addressHash,
  }
  const news = newsOf(ready, outcome, now)
  switch (outcome.kind) {
    case 'accepted':
      return { ...base, state: 'sent', reason: null, provider_id: outcome.providerId, result: 'accepted', news }
    case 'rejected': {
      const reason = `rejected:${outcome.reason}`
      return { ...base, state: 'failed', reason, result: reason, news }
    }
    case 'unknown':
      return { ...base, state: 'unknown', reason: 'unknown', result: 'unknown', news }
    case 'retry':
      return {
        ...base,
        state: 'held',
        reason: 'retry',
        wake_at: retryAt(outcome, row, now),
        result: 'retry',
        news: null,
      }
  }
}

function retryAt(outcome: Extract<Outcome, { kind: 'retry' }>, row: load.ClaimedRow, now: Date): Date {
  return outcome.retryAfterMs ? new Date(now.getTime() + outcome.retryAfterMs) : backOff(now, row.attempts)
}

async function suppressRefused(
  deps: Deps,
  tx: StoreTx,
  { judged, channel }: Ending,
  { ready, outcome, now }: { ready: Ready; outcome: Extract<Outcome, { kind: 'rejected' }>; now: Date },
): Promise<void> {
  if (!outcome.isRecipientFault && !outcome.suppress) return
  await sql.insertSuppression(tx, {
    accountId: judged.situation.account_id,
    hash: deps.secrets.addressHash(ready.address),
    channel,
    address: ready.address,
    reason: outcome.suppress ?? (channelTraits[channel].isText ? 'invalid' : 'hard_bounce'),
    source: channel === 'email' ? 'smtp' : channel,
    at: now,
  })
}

function newsOf({ row, address }: Ready, outcome: Outcome, now: Date): NonNullable<sql.OutcomeRow['news']> {
  const isSent = outcome.kind === 'accepted'
  const { word, provider } = channelTraits[row.channel]
  const about = row.by_hand ? `The ${word}` : `Reminder ${row.step}`
  const answer = outcome.kind === 'unknown' ? `no answer from the ${provider}` : outcome.response
  return {
    id: newId(),
    type: `${row.channel}_${isSent ? 'sent' : 'failed'}`,
    title: isSent ? `Recovery ${word} sent` : `Recovery ${word} not delivered`,
    message: isSent ? `${about} went to ${address}.` : `${about} to ${address}: ${answer}`,
    data: { cartId: row.cart_id, messageId: row.id, timestamp: now.toISOString() },
  }
}
