import type { Outcome } from '../channels/channel.ts'
import { type Db, type StoreDb, transact } from '../core/db.ts'
import type { Deps } from '../deps.ts'
import { scheduleNextLook, spaceNextSteps } from '../messages/messages.ts'
import { stateAfter } from '../messages/state-rules.ts'
import { type Ending, hasComeBack, isOut, type Left, outcomeRow, recordOutcomes } from '../outcome/outcome.ts'
import { lockShoppersOf } from '../shoppers/shoppers.ts'
import * as sql from './mail-turn-sql.ts'

// Mails in flight are settled (decision 149): what follows from them and from their answers is written.

/** What came back of a mail, as it is kept in its row until its end is written down: should its process end before, others write it. */
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

type Mail = Left & { row: { shopper_id: string } }

/** A mail in flight since then. */
export interface SentMail {
  ready: Mail
  sendingAt: Date
  /** null: none was heard. It waits for one. */
  outcome: Outcome | null
  answeredAt: Date
}

const isAnswered = (each: SentMail): each is SentMail & { outcome: Outcome } => each.outcome !== null
const isAccepted = (each: SentMail): each is SentMail & { outcome: Outcome } => each.outcome?.kind === 'accepted'

/** In one commit, with their people locked; those written down before by another process are left as they are. */
export async function settle(
  deps: Deps,
  store: StoreDb<Db>,
  ending: Ending & { badge: string | null },
  done: readonly SentMail[],
): Promise<void> {
  await transact(store, async (tx) => {
    await lockShoppersOf(
      tx,
      done.map(({ ready }) => ready.row.shopper_id),
    )
    const now = deps.now()
    const isMailbox = ending.mail?.isMailbox ?? false
    const mails = done.map((each) => ({
      id: each.ready.row.id,
      sending_at: each.sendingAt,
      accepted: isAccepted(each) ? outcomeRow(each, isMailbox) : null,
    }))
    const written = await sql.settleMails(tx, mails, ending.badge, now)
    // A message by hand has no steps behind it, and what has not gone out keeps nothing at a distance (T4).
    const before = done.filter(
      ({ ready: { row }, outcome }) => written.has(row.id) && row.manual === null && (!outcome || isOut(outcome)),
    )
    if (before.length > 0)
      await spaceNextSteps(
        tx,
        before.map(({ ready }) => ready.row.id),
        now,
      )
    // Accepted ones were written down to their end; the answers of the others are recorded as those of any other message.
    const answered = done.filter(isAnswered).filter((each) => !(isAccepted(each) && written.has(each.ready.row.id)))
    if (answered.length > 0) await recordOutcomes(deps, tx, ending, answered)
    // This may be written after the look that let them leave, which did not know of the steps that moved.
    if (before.length > 0 || hasComeBack(answered)) await scheduleNextLook(tx)
  })
}
