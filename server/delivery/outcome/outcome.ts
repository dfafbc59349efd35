import { type DraftNotification, draftNotification } from '../../access/notifications/public.ts'
import { addUsage } from '../../billing/billing/public.ts'
import { refundCredits } from '../../billing/credits/public.ts'
import type { StoreTx } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  type ChannelName,
  type Cost,
  channelTraits,
  isTextChannelName,
  maskAddress,
  type Outcome,
} from '../../messages/channels/public.ts'
import { spaceNextSteps, stateAfterAnswer } from '../../messages/messages/public.ts'
import { insertSuppression } from '../../shoppers/suppressions/public.ts'
import type * as load from '../decide/public.ts'
import { backOff, type Evaluation, type Ready } from '../decide/public.ts'
import * as spend from '../texts/public.ts'
import { applyMessageReports } from './delivery.ts'
import * as sql from './outcome-sql.ts'

// Records the outcomes of sends, many at once (engine, "Message states").

/** The parts of a sent message that its outcome needs. */
export interface SentRow {
  row: Pick<load.ClaimedRow, 'id' | 'cart_id' | 'step' | 'channel' | 'attempts'> & { manual: object | null }
  address: string
  addressHash: string
  /** For a text, the booked price; null: nothing was booked. */
  composed: Ready['composed'] | { cost: Cost } | null
}

export interface SendResult<Of extends SentRow = Ready> {
  ready: Of
  outcome: Outcome
  /** Identifies the send. */
  sendingAt: Date
  /** Time of the reply, from which a retry is counted. */
  answeredAt: Date
}

/** What messages that are settled together have in common. */
export interface SettleContext {
  evaluation: Pick<Evaluation, 'month'> & { situation: Pick<load.Situation, 'account_id'> }
  channel: ChannelName
  /** The mail server that sent them; null for other channels. */
  mail: { isMailbox: boolean } | null
}

/**
 * Writes the consequences of outcomes. `ended` messages have their final state already; this applies the replies of
 * `answered` first.
 */
export async function recordOutcomes(
  deps: Pick<Deps, 'now' | 'secrets' | 'workerId'>,
  tx: StoreTx,
  context: SettleContext,
  { ended, answered }: Record<'ended' | 'answered', readonly SendResult<SentRow>[]>,
) {
  const now = deps.now()
  const changed = [...ended, ...(await applyReplies(deps, tx, context, answered))]
  // An unsent message delays no later steps any more. A manual message has no later steps.
  const unsentIds = changed
    .filter(({ ready, outcome }) => !mayHaveArrived(outcome) && ready.row.manual === null)
    .map(getMessageId)
  if (unsentIds.length > 0) await spaceNextSteps(tx, unsentIds, now)
  const paid = await returnCredits(tx, context, changed, now)
  for (const { ready, outcome } of changed) {
    if (!mayHaveArrived(outcome)) await sql.undoBadge(tx, ready.row.id)
    if (outcome.kind === 'rejected') await suppressRefused(deps, tx, context, { ready, outcome, now })
  }
  await returnUsage(tx, context, changed, paid)
  if (!isTextChannelName(context.channel)) return
  await settleCosts(tx, context, changed)
  const messageIds = changed.filter(({ outcome }) => mayHaveArrived(outcome)).map(getMessageId)
  if (messageIds.length === 0) return
  const accountId = context.evaluation.situation.account_id
  await applyMessageReports(deps, tx, { accountId, channel: context.channel, messageIds })
}

/** Applies the replies. Returns the messages whose state changed. */
async function applyReplies(
  deps: Pick<Deps, 'now' | 'workerId'>,
  tx: StoreTx,
  { mail }: SettleContext,
  answered: readonly SendResult<SentRow>[],
) {
  if (answered.length === 0) return []
  const rows = answered.map((each) => buildOutcomeRow(each, mail?.isMailbox ?? false))
  const moved = await sql.applyOutcomes(tx, deps.workerId, rows, deps.now())
  return answered.filter(({ ready }) => moved.has(ready.row.id))
}

export const mayHaveArrived = ({ kind }: Outcome): boolean => kind === 'accepted' || kind === 'unknown'

/**
 * Whether a message waits for a retry or its later steps are due earlier. Then the transaction must end with
 * `scheduleNextRun`, since the run that sent the message may have scheduled the next one before.
 */
export const needsNextRun = (done: readonly { outcome: Outcome }[]): boolean =>
  done.some(({ outcome }) => !mayHaveArrived(outcome))

const getMessageId = ({ ready }: SendResult<SentRow>): string => ready.row.id

/** Gives back credits for unsent texts. Returns the ids of the messages that credits had paid for. */
async function returnCredits(
  tx: StoreTx,
  { evaluation, channel }: SettleContext,
  changed: readonly SendResult<SentRow>[],
  now: Date,
) {
  if (!isTextChannelName(channel)) return new Set<string>()
  const unsent = changed.filter(({ outcome }) => !mayHaveArrived(outcome)).map(getMessageId)
  return refundCredits(tx, evaluation.situation.account_id, unsent, now)
}

/** Gives back plan usage of unsent messages, except those paid with credits. Comes last to keep the order of locks. */
async function returnUsage(
  tx: StoreTx,
  { evaluation, channel }: SettleContext,
  changed: readonly SendResult<SentRow>[],
  paid: ReadonlySet<string>,
) {
  const unsent = changed.filter(({ ready, outcome }) => !mayHaveArrived(outcome) && !paid.has(ready.row.id)).length
  if (unsent > 0) await addUsage(tx, evaluation.situation.account_id, evaluation.month, channel, -unsent)
}

/** Replaces the booked list price by the provider's final price, or by 0 if the text was not sent. */
async function settleCosts(
  tx: StoreTx,
  { evaluation }: SettleContext,
  changed: readonly SendResult<SentRow>[],
): Promise<void> {
  const settled = changed.flatMap(({ ready, outcome }) => {
    const booked = ready.composed && 'cost' in ready.composed ? ready.composed.cost : null
    const cost = findFinalCost(booked, outcome)
    if (!booked || !cost) return []
    const segments = outcome.kind === 'accepted' ? (outcome.segments ?? null) : null
    return [{ id: ready.row.id, segments, cost, booked }]
  })
  await spend.correctCosts(tx, settled)
  const corrections = settled.flatMap(({ booked, cost }) => [{ ...booked, amountMicros: -booked.amountMicros }, cost])
  await spend.bookSpend(tx, evaluation.situation.account_id, evaluation.month, corrections)
}

/** null: the booked price stays. */
function findFinalCost(booked: Cost | null, outcome: Outcome): Cost | null {
  if (!booked || outcome.kind === 'unknown') return null
  if (outcome.kind === 'accepted') return outcome.cost ?? null
  return { ...booked, amountMicros: 0 }
}

/** Maps an outcome to its row. `isMailbox` marks accepted mails as kept in the built-in mailbox. */
export function buildOutcomeRow(
  { ready, outcome, sendingAt, answeredAt }: SendResult<SentRow>,
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
  const news = draftOutcomeNotification(ready, outcome, isMailbox)
  switch (outcome.kind) {
    case 'accepted': {
      const result = isMailbox ? IN_MAILBOX : 'accepted'
      const reason = isMailbox ? IN_MAILBOX : null
      return { ...base, state: stateAfterAnswer.accepted, reason, provider_id: outcome.providerId, result, news }
    }
    case 'rejected': {
      const reason = `rejected:${outcome.reason}`
      return { ...base, state: stateAfterAnswer.rejected, reason, result: reason, news }
    }
    case 'unknown':
      return { ...base, state: stateAfterAnswer.unknown, reason: 'unknown', result: 'unknown', news }
    case 'retry':
      return {
        ...base,
        state: stateAfterAnswer.retry,
        reason: 'retry',
        wake_at: findRetryTime(outcome, row, answeredAt),
        result: 'retry',
        news: null,
      }
  }
}

const IN_MAILBOX = 'accepted:mailbox'

function findRetryTime(outcome: Extract<Outcome, { kind: 'retry' }>, row: SentRow['row'], now: Date): Date {
  return outcome.retryAfterMs ? new Date(now.getTime() + outcome.retryAfterMs) : backOff(now, row.attempts)
}

async function suppressRefused(
  deps: Pick<Deps, 'secrets'>,
  tx: StoreTx,
  { evaluation, channel }: SettleContext,
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

function draftOutcomeNotification(
  { row, address }: SentRow,
  outcome: Outcome,
  isInMailbox: boolean,
): DraftNotification {
  const to = row.channel === 'push' ? maskAddress('push', address) : address
  const about = { cartId: row.cart_id, messageId: row.id, step: row.manual ? null : row.step, to }
  if (outcome.kind === 'accepted') return draftNotification(`${row.channel}_sent`, { ...about, isInMailbox })
  const cause =
    outcome.kind === 'unknown'
      ? ({ cause: 'unanswered' } as const)
      : ({ cause: 'refused', answer: outcome.response } as const)
  return draftNotification(`${row.channel}_failed`, { ...about, ...cause })
}
