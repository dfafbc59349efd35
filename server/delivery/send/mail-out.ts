import type { Deps } from '../../deps.ts'
import type { EmailChannel, Outcome } from '../../messages/channels/public.ts'
import type { Situation } from '../decide/public.ts'
import type { OwnMail } from '../email/public.ts'
import * as sql from '../email/public.ts'

// Selects the mail server for a store's messages: the account's own if it has entered one, else the installation's. The
// demo account always uses the built-in mailbox (decision 29).

export interface MailTransport {
  transport: EmailChannel
  /** The sender in From. */
  from: string
  /**
   * Accepted mails stay in the built-in mailbox and do not reach the shopper. false for the demo account, which expects
   * that.
   */
  isMailbox: boolean
  /** Whether the rest of the batch may be sent: the server is up and still the configured one. */
  mayGoOn(): Promise<boolean>
  /** Records the outcomes of messages that it sent. */
  note(outcomes: readonly Outcome[]): Promise<void>
}

/** How often settings are read again, so that a change applies within a second (D5). */
const ASK_AGAIN_MS = 500

/** Pauses after consecutive failures of a mail server, in ms. */
const RESTS_MS = [30_000, 60_000, 120_000, 300_000, 600_000, 900_000]

export async function openMailTransport(
  deps: Pick<Deps, 'channels' | 'config' | 'db' | 'log' | 'now'>,
  situation: Situation,
): Promise<MailTransport> {
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
      const problem = outcomes.map(findProblem).find((each) => each !== null)
      if (problem) state.isDown = true
      await noteServer(deps, { accountId, own, hasAccepted: outcomes.some(isAccepted), problem: problem ?? null })
    },
  }
}

const isAccepted = ({ kind }: Outcome): boolean => kind === 'accepted'

/** Returns the failure of the server as a whole (unreachable, sign-in or sender refused); null if there is none. */
function findProblem(outcome: Outcome): string | null {
  if (outcome.kind !== 'retry' || outcome.isOfMessage || outcome.reason === 'not_sent') return null
  return outcome.response
}

async function noteServer(
  deps: Pick<Deps, 'db' | 'log' | 'now'>,
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
