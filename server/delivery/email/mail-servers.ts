import type { z } from 'zod'
import {
  type MailServerView,
  mailServerProblems,
  mailServerTexts,
  type saveMailServer,
} from '../../../shared/mail-server.ts'
import { textChannelTexts } from '../../../shared/text-channels.ts'
import { type AccountMailWay, accountMailWay, mailWayOf } from '../../messages/channels/mail-way.ts'
import type { AccountDb, Db } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { type Limit, take } from '../../core/db/rate-limits.ts'
import type { Deps } from '../../deps.ts'
import { readSender } from '../../access/members/rules.ts'
import type { Session } from '../../access/members/session.ts'
import { assertVerified } from '../../access/members/verification.ts'
import { wakeMessagesOf } from '../../messages/messages/messages.ts'
import * as sql from './mail-server-sql.ts'
import { whyNoMailServer } from './mail-server-text.ts'
import { openPassword, ownFrom, sealPassword } from './own-mail.ts'
import { openConnection, quit, SmtpError } from './smtp-connections.ts'
import { type OwnServer, type SmtpGuard, settingsOfOwn } from './smtp-settings.ts'

// A mail server of the account's own. What is entered is first tried: it is connected to and signed in at, and only what works is kept.

const CHECKS: Limit = { name: 'mail-server-check', points: 20, windowS: 900 }
const CONNECT_MS = 15_000

type Wanted = z.output<typeof saveMailServer.body>

export async function viewMailServer(deps: Deps, account: AccountDb<Db>, { isDemo }: Session): Promise<MailServerView> {
  const [row, proofs] = await Promise.all([sql.readMailServer(account), sql.readProofs(account)])
  const way = accountMailWay(deps.config, { isDemo, hasOwn: row !== undefined })
  const proof = proofs.find(({ what }) => what === 'test_mail')
  const isProven = proof?.is_good === true && proof.subject === proofSubject(deps, way, row)
  return {
    way,
    from: senderAddress(deps, way === 'own' ? row : undefined),
    mailboxUrl: way === 'mailbox' && deps.config.isLocal ? `http://localhost:${deps.config.mailboxPort}` : null,
    acceptedAt: isProven ? proof.at.toISOString() : null,
    server: row && !isDemo ? presentServer(row, deps.now()) : null,
    anyPort: deps.config.allowsPrivateStores,
    isFixed: isDemo,
  }
}

/** Where the account's mail goes. */
export async function wayOfAccount({ config }: Pick<Deps, 'config'>, account: AccountDb): Promise<AccountMailWay> {
  const row = await sql.readWay(account)
  return accountMailWay(config, { isDemo: row?.is_demo ?? false, hasOwn: row?.has_own ?? false })
}

function presentServer(row: sql.MailServerRow, now: Date): NonNullable<MailServerView['server']> {
  const { host, port, security, version, problem } = row
  return {
    ...{ host, port, security, version },
    problem: problem ?? (ownFrom(row) === null ? mailServerTexts.noFrom : null),
    user: row.user_name,
    fromAddress: row.from_address,
    checkAnswer: row.check_answer,
    checkedAt: row.checked_at.toISOString(),
    failingSince: row.failing_since?.toISOString() ?? null,
    triesAt: row.rests_until && row.rests_until > now ? row.rests_until.toISOString() : null,
  }
}

/** What a test mail was accepted by. Another server, user or sender has to be tried anew. null: nothing that would prove anything. */
export function proofSubject(
  { config }: Pick<Deps, 'config'>,
  way: MailServerView['way'],
  row: sql.MailServerRow | undefined,
): string | null {
  if (way === 'server') return `server ${new URL(config.smtpUrl!).host} ${readSender(config.mailFrom).address}`
  return way === 'own' && row ? `own ${row.host}:${row.port} ${row.user_name} ${ownFrom(row) ?? ''}` : null
}

/** The address in From of the account's messages. */
export function senderAddress({ config }: Pick<Deps, 'config'>, row: sql.MailServerRow | undefined): string {
  return (row && ownFrom(row)) ?? readSender(config.mailFrom).address
}

/** Throws `unprocessable` with what went wrong in words, and keeps nothing then. */
export async function saveServer(
  deps: Deps,
  account: AccountDb<Db>,
  session: Session,
  wanted: Wanted & { guard?: Pick<SmtpGuard, 'ca' | 'lookupAll'> },
): Promise<void> {
  keepDemo(session)
  const { host, port, security, user, fromAddress, version, guard } = wanted
  const fields = mailServerProblems(wanted, deps.config.allowsPrivateStores)
  const [problem] = Object.values(fields)
  if (problem) throw new AppError('invalid', problem, { fields })
  const kept = await sql.readMailServer(account)
  const password = user === '' ? '' : passwordOf(deps, wanted, kept)
  await take(deps, CHECKS, account.accountId)
  const answer = await tryOut(
    { host, port, security, user, password },
    { allowsPrivate: deps.config.allowsPrivateStores, ...guard },
  )
  const row = {
    ...{ host, port, security, user_name: user, check_answer: answer, checked_at: deps.now() },
    from_address: fromAddress || null,
    encrypted: user === '' ? null : sealPassword(deps.secrets, account.accountId, password),
  }
  if (!(await sql.saveMailServer(account, row, version))) {
    throw new AppError('conflict', textChannelTexts.changedMeanwhile)
  }
  await wakeMessagesOf(deps.db, account.accountId, ['mail_not_configured', 'mail_server_away'], deps.now())
  deps.log.info({ accountId: account.accountId }, 'mail-server.saved')
}

/** A kept password is shown to nobody but the server it was entered for, and as well protected as it was entered. */
function passwordOf(deps: Deps, wanted: Wanted, kept: sql.MailServerRow | undefined): string {
  const isSame =
    kept?.host === wanted.host &&
    kept.port === wanted.port &&
    kept.security === wanted.security &&
    kept.user_name === wanted.user
  const password = wanted.password || (kept && isSame ? openPassword(deps.secrets, kept) : '')
  if (password) return password
  const message = 'Enter the password'
  throw new AppError('invalid', message, { fields: { password: message } })
}

/** Connects, encrypts and signs in; the answer is for the settings. */
async function tryOut(server: OwnServer, guard: SmtpGuard): Promise<string> {
  try {
    const connection = await openConnection(settingsOfOwn(server, guard), CONNECT_MS)
    quit(connection)
    return server.user === '' ? 'It accepts email without sign-in' : 'User and password were accepted'
  } catch (error) {
    if (error instanceof SmtpError) throw new AppError('unprocessable', whyNoMailServer(error.failure, server))
    throw error
  }
}

export async function removeServer(deps: Deps, account: AccountDb<Db>, session: Session): Promise<void> {
  keepDemo(session)
  // From now on its mail would go from the server's own domain.
  if (mailWayOf(deps.config) !== 'none') await assertVerified(account)
  if (!(await sql.deleteMailServer(account))) return
  await wakeMessagesOf(deps.db, account.accountId, ['mail_server_away'], deps.now())
  deps.log.info({ accountId: account.accountId }, 'mail-server.removed')
}

function keepDemo({ isDemo }: Session): void {
  if (isDemo) throw new AppError('forbidden', mailServerTexts.demo)
}
