import { type Db, type StoreDb, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { channelTraits, isTextChannelName, type Outcome } from '../../messages/channels/public.ts'
import { scheduleNextRun, spaceNextSteps, type stateAfterAnswer } from '../../messages/messages/public.ts'
import { lockShoppersById } from '../../shoppers/shoppers/public.ts'
import {
  applyReports,
  buildOutcomeRow,
  mayHaveArrived,
  needsNextRun,
  recordOutcomes,
  type SendResult,
  type SentRow,
  type SettleContext,
} from '../outcome/public.ts'
import { lockPlanAndCredits } from './channel-rules.ts'
import * as sql from './turn-sql.ts'

// Settles messages in flight (decision 149): writes the consequences of a send and of the provider's reply.

/**
 * The provider's reply, stored in the message's row until it is settled. If the process ends before, another process
 * settles it.
 */
export interface Answer {
  /** The state that follows. */
  state: (typeof stateAfterAnswer)[keyof typeof stateAfterAnswer]
  outcome: Outcome
  /** Time of the reply, ISO 8601. */
  at: string
  isMailbox: boolean
}

/** A message in flight with its outcome. */
export type MessageInFlight = SendResult<SentRow & { row: { shopper_id: string } }>

/** The outcome of a message whose process ended before a reply came. */
export const NO_REPLY: Outcome = { kind: 'unknown', reason: 'unheard', response: '' }

/**
 * Settles messages of one channel in one commit, with their shoppers locked. It skips messages that another process has
 * settled, and messages without a reply whose process is alive after all (`silence`). Returns the ids of the settled
 * ones.
 */
export async function settle(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets' | 'workerId'>,
  store: StoreDb<Db>,
  context: SettleContext,
  done: readonly MessageInFlight[],
  silence: sql.Silence | null = null,
): Promise<Set<string>> {
  const { channel, evaluation } = context
  const { account_id: accountId } = evaluation.situation
  const isMailbox = context.mail?.isMailbox ?? false
  const settled = await transact(store, async (tx) => {
    await lockShoppersById(
      tx,
      done.map(({ ready }) => ready.row.shopper_id),
    )
    // These locks block the whole account, so they are taken only if usage or credits are given back.
    const returnsAllowance = done.some(({ outcome }) => !mayHaveArrived(outcome))
    if (returnsAllowance && isTextChannelName(channel))
      await lockPlanAndCredits(tx, { accountId, month: evaluation.month, channel })
    const now = deps.now()
    const messages = done.map((each) => ({
      id: each.ready.row.id,
      sending_at: each.sendingAt,
      end: buildEnd(each, isMailbox),
      is_unheard: hasNoReply(each),
      is_out: mayHaveArrived(each.outcome),
    }))
    const settledIds = await sql.settle(tx, messages, { badge: channelTraits[channel].badge, now, silence })
    const isSettledHere = ({ ready }: MessageInFlight) => settledIds.has(ready.row.id)
    // A manual message has no later steps, and an unsent one delays none (T4).
    const delaying = done.filter(
      (each) => isSettledHere(each) && each.ready.row.manual === null && mayHaveArrived(each.outcome),
    )
    if (delaying.length > 0)
      await spaceNextSteps(
        tx,
        delaying.map(({ ready }) => ready.row.id),
        now,
      )
    const hasEndedHere = (each: MessageInFlight) => isFinal(each) && isSettledHere(each)
    const toRecord = done.filter((each) => !hasEndedHere(each) && !hasNoReply(each))
    await recordOutcomes(deps, tx, context, { ended: done.filter(hasEndedHere), answered: toRecord })
    // The send run that sent these may have scheduled its next run before the steps moved here.
    if (delaying.length > 0 || needsNextRun(toRecord)) await scheduleNextRun(tx)
    return settledIds
  })
  await applyEarlyReports(deps, context, done)
  return settled
}

export const hasNoReply = ({ outcome }: { outcome: Outcome }): boolean => outcome === NO_REPLY
const isFinal = (each: MessageInFlight): boolean => each.outcome.kind === 'accepted' || hasNoReply(each)

/** Accepted messages and those without a reply end here; `recordOutcomes` applies the other replies. */
function buildEnd(each: MessageInFlight, isMailbox: boolean): sql.End | null {
  if (!isFinal(each)) return null
  const { state, reason, provider_id, response, result, news } = buildOutcomeRow(each, isMailbox)
  const end = { state, reason, provider_id, result }
  if (hasNoReply(each)) return { ...end, response: null, news: null, inputs: { cause: NO_REPLY_CAUSE } }
  return { ...end, response, news, inputs: { response } }
}

const NO_REPLY_CAUSE = 'the sending process ended before an answer came'

/** Applies delivery reports that arrived before the provider's reply was recorded. Never throws. */
async function applyEarlyReports(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets'>,
  { channel, evaluation }: SettleContext,
  done: readonly MessageInFlight[],
) {
  const providerIds = done.flatMap(({ outcome }) => (outcome.kind === 'accepted' ? [outcome.providerId] : []))
  if (providerIds.length === 0 || !isTextChannelName(channel)) return
  const reportFilter = { accountId: evaluation.situation.account_id, channel, providerIds }
  await applyReports(deps, reportFilter).catch((error) => deps.log.error({ err: error }, 'message.reports-not-applied'))
}
