import type { Outcome } from '../../messages/channels/channel.ts'
import { channelTraits, isTextChannelName } from '../../messages/channels/traits.ts'
import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextLook, spaceNextSteps } from '../../messages/messages/messages.ts'
import { stateAfter } from '../../messages/messages/state-rules.ts'
import { applyReports } from '../outcome/delivery.ts'
import {
  type Ending,
  type Finished,
  hasComeBack,
  isOut,
  outcomeRow,
  recordOutcomes,
  type SentRow,
} from '../outcome/outcome.ts'
import { lockShoppersOf } from '../../shoppers/shoppers/shoppers.ts'
import { lockRoom } from './channel-rules.ts'
import * as sql from './turn-sql.ts'

// Messages in flight are settled (decision 149): what follows from them and from their answers is written.

/** What came back of a message, as it is kept in its row until its end is written down: should its process end before, others write it. */
export interface Answer {
  /** The state it leads to. */
  state: (typeof stateAfter)[keyof typeof stateAfter]
  outcome: Outcome
  /** When it came, ISO 8601. */
  at: string
  isMailbox: boolean
}

export const answerOf = (
  { outcome, answeredAt }: { outcome: Outcome; answeredAt: Date },
  isMailbox: boolean,
): Answer => ({
  state: stateAfter[outcome.kind],
  at: answeredAt.toISOString(),
  outcome,
  isMailbox,
})

/** A message in flight, with what became of it. */
export type MessageInFlight = Finished<SentRow & { row: { shopper_id: string } }>

/** The outcome of a message whose process ended without an answer. */
export const UNHEARD: Outcome = { kind: 'unknown', reason: 'unheard', response: '' }

/**
 * In one commit, with their people locked; those settled before by another process are left as they are, and so are unheard ones whose process is
 * alive after all, by `silence`. Returns which it settled.
 */
export async function settle(
  deps: Deps,
  store: StoreDb<Db>,
  ending: Ending,
  done: readonly MessageInFlight[],
  silence: sql.Silence | null = null,
): Promise<Set<string>> {
  const { channel, evaluation } = ending
  const { account_id: accountId } = evaluation.situation
  const isMailbox = ending.mail?.isMailbox ?? false
  const settled = await transact(store, async (tx) => {
    await lockShoppersOf(
      tx,
      done.map(({ ready }) => ready.row.shopper_id),
    )
    // Others of the account wait for these: they are locked only where something is given back.
    const isGivenBack = done.some(({ outcome }) => !isOut(outcome))
    if (isGivenBack && isTextChannelName(channel)) await lockRoom(tx, { accountId, month: evaluation.month, channel })
    const now = deps.now()
    const messages = done.map((each) => ({
      id: each.ready.row.id,
      sending_at: each.sendingAt,
      end: endOf(each, isMailbox),
      is_unheard: isUnheard(each),
      is_out: isOut(each.outcome),
    }))
    const settledIds = await sql.settle(tx, messages, { badge: channelTraits[channel].badge, now, silence })
    const isSettledHere = ({ ready }: MessageInFlight) => settledIds.has(ready.row.id)
    // A message by hand has no steps behind it, and what has not gone out keeps nothing at a distance (T4).
    const delaying = done.filter((each) => isSettledHere(each) && each.ready.row.manual === null && isOut(each.outcome))
    if (delaying.length > 0)
      await spaceNextSteps(
        tx,
        delaying.map(({ ready }) => ready.row.id),
        now,
      )
    const isEndedHere = (each: MessageInFlight) => endsAtOnce(each) && isSettledHere(each)
    const toRecord = done.filter((each) => !isEndedHere(each) && !isUnheard(each))
    await recordOutcomes(deps, tx, ending, { ended: done.filter(isEndedHere), answered: toRecord })
    // This may be written after the look that let them be sent, which did not know of the steps that moved.
    if (delaying.length > 0 || hasComeBack(toRecord)) await scheduleNextLook(tx)
    return settledIds
  })
  await applyEarlyReports(deps, ending, done)
  return settled
}

export const isUnheard = ({ outcome }: { outcome: Outcome }): boolean => outcome === UNHEARD
const endsAtOnce = (each: MessageInFlight): boolean => each.outcome.kind === 'accepted' || isUnheard(each)

/** What was accepted, or was not heard of, comes to its end at once; other answers are recorded apart. */
function endOf(each: MessageInFlight, isMailbox: boolean): sql.End | null {
  if (!endsAtOnce(each)) return null
  const { state, reason, provider_id, response, result, news } = outcomeRow(each, isMailbox)
  const end = { state, reason, provider_id, result }
  if (isUnheard(each)) return { ...end, response: null, news: null, inputs: { cause: NO_ANSWER } }
  return { ...end, response, news, inputs: { response } }
}

const NO_ANSWER = 'the sending process ended before an answer came'

/** A provider may have reported of a text while its answer was written down. Never throws. */
async function applyEarlyReports(deps: Deps, { channel, evaluation }: Ending, done: readonly MessageInFlight[]) {
  const providerIds = done.flatMap(({ outcome }) => (outcome.kind === 'accepted' ? [outcome.providerId] : []))
  if (providerIds.length === 0 || !isTextChannelName(channel)) return
  const of = { accountId: evaluation.situation.account_id, channel, providerIds }
  await applyReports(deps, of).catch((error) => deps.log.error({ err: error }, 'message.reports-not-applied'))
}
