import { addUsage } from '../../billing/billing/usage.ts'
import type { ChannelName, Cost, Outcome } from '../../messages/channels/channel.ts'
import { maskedAddress } from '../../messages/channels/mask.ts'
import { channelTraits, isTextChannelName } from '../../messages/channels/traits.ts'
import type { StoreTx } from '../../core/db/db.ts'
import { giveBackCredits } from '../../billing/credits/credits.ts'
import { backOff } from '../decide/decide.ts'
import type { Evaluation, Ready } from '../decide/evaluate.ts'
import type * as load from '../decide/situation.ts'
import type { Deps } from '../../deps.ts'
import { spaceNextSteps } from '../../messages/messages/messages.ts'
import { stateAfter } from '../../messages/messages/state-rules.ts'
import { type DraftNotification, draftNotification } from '../../access/notifications/notifications.ts'
import { insertSuppression } from '../../shoppers/suppressions/unsubscribe.ts'
import * as spend from '../texts/spend.ts'
import { applyReportsOf } from './delivery.ts'
import * as sql from './outcome-sql.ts'

// What became of sends, written down for several at once (engine, "Sending").

/** For reports that come after the answer. */
export { markShown, type OutcomeRow, undoBadge } from './outcome-sql.ts'

/** What is asked of a message that was sent. */
export interface SentRow {
  row: Pick<load.ClaimedRow, 'id' | 'cart_id' | 'step' | 'channel' | 'attempts'> & { manual: object | null }
  address: string
  addressHash: string
  /** Of a text the price that was booked; null: none was. */
  composed: Ready['composed'] | { cost: Cost } | null
}

export interface Finished<Of extends SentRow = Ready> {
  ready: Of
  outcome: Outcome
  /** Which of its sends this is the end of. */
  sendingAt: Date
  /** From when on it waits, where it may be tried again. */
  answeredAt: Date
}

/** Whose end is written down: what was judged, and the channel all of them were sent by. */
export interface Ending {
  evaluation: Pick<Evaluation, 'month'> & { situation: Pick<load.Situation, 'account_id'> }
  channel: ChannelName
  /** The mail server it was sent by; null for texts. */
  mail: { isMailbox: boolean } | null
}

/** What follows from outcomes: of those that are written down, in `ended`, and of others, which are written here. */
export async function recordOutcomes(
  deps: Deps,
  tx: StoreTx,
  ending: Ending,
  { ended, answered }: Record<'ended' | 'answered', readonly Finished<SentRow>[]>,
) {
  const now = deps.now()
  const changed = [...ended, ...(await moveOn(deps, tx, ending, answered))]
  // What has not gone out keeps nothing at a distance any longer. A message by hand has no steps behind it.
  const back = changed.filter(({ ready, outcome }) => !isOut(outcome) && ready.row.manual === null).map(idOf)
  if (back.length > 0) await spaceNextSteps(tx, back, now)
  const paid = await giveBackPaid(tx, ending, changed, now)
  for (const { ready, outcome } of changed) {
    if (!isOut(outcome)) await sql.undoBadge(tx, ready.row.id)
    if (outcome.kind === 'rejected') await suppressRefused(deps, tx, ending, { ready, outcome, now })
  }
  await takeBack(tx, ending, changed, paid)
  if (!isTextChannelName(ending.channel)) return
  await settleCosts(tx, ending, changed)
  const messageIds = changed.filter(({ outcome }) => isOut(outcome)).map(idOf)
  if (messageIds.length === 0) return
  const accountId = ending.evaluation.situation.account_id
  await applyReportsOf(deps, tx, { accountId, channel: ending.channel, messageIds })
}

/** Answers those that it was of. */
async function moveOn(deps: Deps, tx: StoreTx, { mail }: Ending, answered: readonly Finished<SentRow>[]) {
  if (answered.length === 0) return []
  const rows = answered.map((each) => outcomeRow(each, mail?.isMailbox ?? false))
  const moved = await sql.applyOutcomes(tx, deps.workerId, rows, deps.now())
  return answered.filter(({ ready }) => moved.has(ready.row.id))
}

export const isOut = ({ kind }: Outcome): boolean => kind === 'accepted' || kind === 'unknown'

/**
 * Whether one of them waits again, or the steps behind it are due earlier. The same transaction ends with `scheduleNextLook`: whoever writes
 * this down may have ended before another one looks, and the look before it did not know of them.
 */
export const hasComeBack = (done: readonly { outcome: Outcome }[]): boolean =>
  done.some(({ outcome }) => !isOut(outcome))

const idOf = ({ ready }: Finished<SentRow>): string => ready.row.id

/** Which of those that have not gone out credits had paid for. */
async function giveBackPaid(
  tx: StoreTx,
  { evaluation, channel }: Ending,
  changed: readonly Finished<SentRow>[],
  now: Date,
) {
  if (!isTextChannelName(channel)) return new Set<string>()
  const unsent = changed.filter(({ outcome }) => !isOut(outcome)).map(idOf)
  return giveBackCredits(tx, evaluation.situation.account_id, unsent, now)
}

/** What credits had paid for took nothing of the plan. Last: whoever waits for the counter holds messages that others wait for. */
async function takeBack(
  tx: StoreTx,
  { evaluation, channel }: Ending,
  changed: readonly Finished<SentRow>[],
  paid: ReadonlySet<string>,
) {
  const unsent = changed.filter(({ ready, outcome }) => !isOut(outcome) && !paid.has(ready.row.id)).length
  if (unsent > 0) await addUsage(tx, evaluation.situation.account_id, evaluation.month, channel, -unsent)
}

/** Booked by the price list at the send; now by what it was, and nothing where nothing was taken. */
async function settleCosts(tx: StoreTx, { evaluation }: Ending, changed: readonly Finished<SentRow>[]): Promise<void> {
  const settled = changed.flatMap(({ ready, outcome }) => {
    const booked = ready.composed && 'cost' in ready.composed ? ready.composed.cost : null
    const cost = finalCost(booked, outcome)
    if (!booked || !cost) return []
    const segments = outcome.kind === 'accepted' ? (outcome.segments ?? null) : null
    return [{ id: ready.row.id, segments, cost, booked }]
  })
  await spend.correctCosts(tx, settled)
  const corrections = settled.flatMap(({ booked, cost }) => [{ ...booked, amountMicros: -booked.amountMicros }, cost])
  await spend.bookSpend(tx, evaluation.situation.account_id, evaluation.month, corrections)
}

/** null: what was booked stands. */
function finalCost(booked: Cost | null, outcome: Outcome): Cost | null {
  if (!booked || outcome.kind === 'unknown') return null
  if (outcome.kind === 'accepted') return outcome.cost ?? null
  return { ...booked, amountMicros: 0 }
}

/** `isMailbox`: it is marked that what was accepted has not reached the shopper. */
export function outcomeRow(
  { ready, outcome, sendingAt, answeredAt }: Finished<SentRow>,
  isMailbox: boolean,
): sql.OutcomeRow {
  const { row, addressHash } = ready
  const base = {
    id: row.id,
    sending_at: sendingAt,
    response: outcome.response,
    provider_id: null,
    wake_at: null,
    address_hash: addressHash,
  }
  const news = newsOf(ready, outcome, isMailbox)
  switch (outcome.kind) {
    case 'accepted': {
      const result = isMailbox ? IN_MAILBOX : 'accepted'
      const reason = isMailbox ? IN_MAILBOX : null
      return { ...base, state: stateAfter.accepted, reason, provider_id: outcome.providerId, result, news }
    }
    case 'rejected': {
      const reason = `rejected:${outcome.reason}`
      return { ...base, state: stateAfter.rejected, reason, result: reason, news }
    }
    case 'unknown':
      return { ...base, state: stateAfter.unknown, reason: 'unknown', result: 'unknown', news }
    case 'retry':
      return {
        ...base,
        state: stateAfter.retry,
        reason: 'retry',
        wake_at: retryAt(outcome, row, answeredAt),
        result: 'retry',
        news: null,
      }
  }
}

const IN_MAILBOX = 'accepted:mailbox'

function retryAt(outcome: Extract<Outcome, { kind: 'retry' }>, row: SentRow['row'], now: Date): Date {
  return outcome.retryAfterMs ? new Date(now.getTime() + outcome.retryAfterMs) : backOff(now, row.attempts)
}

async function suppressRefused(
  deps: Deps,
  tx: StoreTx,
  { evaluation, channel }: Ending,
  { ready, outcome, now }: { ready: SentRow; outcome: Extract<Outcome, { kind: 'rejected' }>; now: Date },
): Promise<void> {
  if (!outcome.isRecipientFault && !outcome.suppress) return
  await insertSuppression(tx, {
    accountId: evaluation.situation.account_id,
    hash: deps.secrets.addressHash(ready.address),
    channel,
    address: ready.address,
    reason: outcome.suppress ?? (channelTraits[channel].isText ? 'invalid' : 'hard_bounce'),
    source: channel === 'email' ? 'smtp' : channel,
    at: now,
  })
}

function newsOf({ row, address }: SentRow, outcome: Outcome, isInMailbox: boolean): DraftNotification {
  const to = row.channel === 'push' ? maskedAddress('push', address) : address
  const about = { cartId: row.cart_id, messageId: row.id, step: row.manual ? null : row.step, to }
  if (outcome.kind === 'accepted') return draftNotification(`${row.channel}_sent`, { ...about, isInMailbox })
  const cause =
    outcome.kind === 'unknown'
      ? ({ cause: 'unanswered' } as const)
      : ({ cause: 'refused', answer: outcome.response } as const)
  return draftNotification(`${row.channel}_failed`, { ...about, ...cause })
}
