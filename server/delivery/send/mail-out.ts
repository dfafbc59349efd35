import type { EmailChannel, Outcome } from '../../messages/channels/channel.ts'
import type { Situation } from '../decide/situation.ts'
import type { Deps } from '../../deps.ts'
import * as sql from '../email/mail-server.ts'
import type { OwnMail } from '../email/own-mail.ts'

// Which mail server a store's messages are sent by: the account's own if it has entered one, else the one of this installation. The demo
// account writes into the built-in mailbox (decision 29).

export interface MailOut {
  transport: EmailChannel
  /** The sender in From. */
  from: string
  /** What is accepted stays on this server, and does not reach the shopper. For the demo account that is as it should be. */
  isMailbox: boolean
  /** Whether the rest of the batch may be sent by it: it is still the one that is set, and it answers. */
  mayGoOn(): Promise<boolean>
  /** What became of messages that were sent by it. */
  note(outcomes: readonly Outcome[]): Promise<void>
}

/** A change in the settings reaches all that was not sent within a second (D5). */
const ASK_AGAIN_MS = 500

/** How long a server that took nothing is left alone; longer each time. */
const RESTS_MS = [30_000, 60_000, 120_000, 300_000, 600_000, 900_000]

export async function mailOutOf(deps: Deps, situation: Situation): Promise<MailOut> {
  const { account_id: accountId, account_is_demo: isDemo } = situation
  const own = isDemo ? null : await deps.channels.ownMail(accountId)
  const transport = own?.channel ?? (isDemo ? deps.channels.demoEmail : deps.channels.email)
  const state = { isDown: false, askedAt: deps.now().getTime(), isSame: true }
  return {
    transport,
    from: own?.from ?? deps.config.mailFrom,
    isMailbox: !isDemo && transport.isMailbox === true,
    async mayGoOn() {
      if (state.isDown || isDemo) return !state.isDown
      const now = deps.now().getTime()
      if (Math.abs(now - state.askedAt) < ASK_AGAIN_MS) return state.isSame
      state.askedAt = now
      state.isSame = (await deps.channels.ownMail(accountId))?.channel === own?.channel
      return state.isSame
    },
    async note(outcomes) {
      if (!own) return
      const problem = outcomes.map(problemOf).find((each) => each !== null)
      if (problem) state.isDown = true
      await noteServer(deps, { accountId, own, hasAccepted: outcomes.some(isAccepted), problem: problem ?? null })
    },
  }
}

const isAccepted = ({ kind }: Outcome): boolean => kind === 'accepted'

/** Of the server as a whole: it could not be reached, refused the sign-in or the sender. null: it did its work. */
function problemOf(outcome: Outcome): string | null {
  if (outcome.kind !== 'retry' || outcome.isOfMessage || outcome.reason === 'not_sent') return null
  return outcome.response
}

async function noteServer(
  deps: Deps,
  {
    accountId,
    own,
    hasAccepted,
    problem,
  }: { accountId: string; own: OwnMail; hasAccepted: boolean; problem: string | null },
): Promise<void> {
  const account = { accountId, db: deps.db }
  const { key } = own
  if (problem === null) {
    if (hasAccepted && own.isFailing) await sql.noteSuccess(account, key)
    return
  }
  const now = deps.now()
  const restsUntil = RESTS_MS.map((ms) => new Date(now.getTime() + ms))
  await sql.noteFailure(account, { key, problem, now, restsUntil })
  deps.log.warn({ accountId }, 'mail-server.failed')
}
