import type { z } from 'zod'
import {
  findMailServerProblems,
  type MailServerView,
  mailServerTexts,
  type saveMailServer,
} from '../../../shared/delivery/mail-server.ts'
import { textChannelTexts } from '../../../shared/messages/text-channels.ts'
import { assertVerified, readSender, type Session } from '../../access/members/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type AccountDb, type Db, type Limit, takePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type AccountMailRoute, chooseAccountMailRoute, chooseMailRoute } from '../../messages/channels/public.ts'
import { wakeMessagesOf } from '../../messages/messages/public.ts'
import * as sql from './mail-server-sql.ts'
import { explainServerFailure } from './mail-server-text.ts'
import { buildOwnFrom, openPassword, sealPassword } from './own-mail.ts'
import { openConnection, quit, SmtpError } from './smtp-connections.ts'
import { type OwnServer, type SmtpGuard, toSmtpSettings } from './smtp-settings.ts'

// Settings of an account's own mail server. They are tested by connecting and signing in before they are saved.

const CHECKS: Limit = { name: 'mail-server-check', points: 20, windowS: 900 }
const CONNECT_MS = 15_000

type MailServerInput = z.output<typeof saveMailServer.body>

export async function viewMailServer(
  deps: Pick<Deps, 'config' | 'now'>,
  account: AccountDb<Db>,
  { isDemo }: Session,
): Promise<MailServerView> {
  const [row, proofs] = await Promise.all([sql.readMailServer(account), sql.readProofs(account)])
  const route = chooseAccountMailRoute(deps.config, { isDemo, hasOwn: row !== undefined })
  const proof = proofs.find(({ what }) => what === 'test_mail')
  const isProven = proof?.is_good === true && proof.subject === buildProofSubject(deps, route, row)
  return {
    way: route,
    from: getSenderAddress(deps, route === 'own' ? row : undefined),
    mailboxUrl: route === 'mailbox' && deps.config.isLocal ? `http://localhost:${deps.config.mailboxPort}` : null,
    acceptedAt: isProven ? proof.at.toISOString() : null,
    server: row && !isDemo ? presentServer(row, deps.now()) : null,
    anyPort: deps.config.allowsPrivateStores,
    isFixed: isDemo,
  }
}

/** Which mail server the account's mail uses. */
export async function loadAccountMailRoute(
  { config }: Pick<Deps, 'config'>,
  account: AccountDb,
): Promise<AccountMailRoute> {
  const row = await sql.readMailRoute(account)
  return chooseAccountMailRoute(config, { isDemo: row?.is_demo ?? false, hasOwn: row?.has_own ?? false })
}

function presentServer(row: sql.MailServerRow, now: Date): NonNullable<MailServerView['server']> {
  const { host, port, security, version, problem } = row
  return {
    host,
    port,
    security,
    version,
    problem: problem ?? (buildOwnFrom(row) === null ? mailServerTexts.noFrom : null),
    user: row.user_name,
    fromAddress: row.from_address,
    checkAnswer: row.check_answer,
    checkedAt: row.checked_at.toISOString(),
    failingSince: row.failing_since?.toISOString() ?? null,
    triesAt: row.rests_until && row.rests_until > now ? row.rests_until.toISOString() : null,
  }
}

/**
 * Identifies what a test mail proved: server, user and sender. After a change a new test is needed. null: nothing to
 * prove.
 */
export function buildProofSubject(
  { config }: Pick<Deps, 'config'>,
  route: MailServerView['way'],
  row: sql.MailServerRow | undefined,
): string | null {
  if (route === 'server') return `server ${new URL(config.smtpUrl!).host} ${readSender(config.mailFrom).address}`
  return route === 'own' && row ? `own ${row.host}:${row.port} ${row.user_name} ${buildOwnFrom(row) ?? ''}` : null
}

/** The From address of the account's mails. */
export function getSenderAddress({ config }: Pick<Deps, 'config'>, row: sql.MailServerRow | undefined): string {
  return (row && buildOwnFrom(row)) ?? readSender(config.mailFrom).address
}

/** Tests and saves the server. Throws `unprocessable` with an explanation and saves nothing if the test fails. */
export async function saveServer(
  deps: Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'pool' | 'secrets'>,
  account: AccountDb<Db>,
  session: Session,
  input: MailServerInput & { guard?: Pick<SmtpGuard, 'ca' | 'lookupAll'> },
): Promise<void> {
  keepDemo(session)
  const { host, port, security, user, fromAddress, version, guard } = input
  const fields = findMailServerProblems(input, deps.config.allowsPrivateStores)
  const [problem] = Object.values(fields)
  if (problem) throw new AppError('invalid', problem, { fields })
  const stored = await sql.readMailServer(account)
  const password = user === '' ? '' : resolvePassword(deps, input, stored)
  await takePoint(deps, CHECKS, account.accountId)
  const answer = await testSignIn(
    { host, port, security, user, password },
    { allowsPrivate: deps.config.allowsPrivateStores, ...guard },
  )
  const row = {
    host,
    port,
    security,
    user_name: user,
    check_answer: answer,
    checked_at: deps.now(),
    from_address: fromAddress || null,
    encrypted: user === '' ? null : sealPassword(deps.secrets, account.accountId, password),
  }
  if (!(await sql.saveMailServer(account, row, version))) {
    throw new AppError('conflict', textChannelTexts.changedMeanwhile)
  }
  await wakeMessagesOf(deps.db, account.accountId, ['mail_not_configured', 'mail_server_away'], deps.now())
  deps.log.info({ accountId: account.accountId }, 'mail-server.saved')
}

/** A stored password is sent only to the server it was entered for, with at least the same encryption. */
function resolvePassword(
  deps: Pick<Deps, 'secrets'>,
  input: MailServerInput,
  stored: sql.MailServerRow | undefined,
): string {
  const isSame =
    stored?.host === input.host &&
    stored.port === input.port &&
    stored.security === input.security &&
    stored.user_name === input.user
  const password = input.password || (stored && isSame ? openPassword(deps.secrets, stored) : '')
  if (password) return password
  const message = 'Enter the password'
  throw new AppError('invalid', message, { fields: { password: message } })
}

/** Connects, encrypts and signs in. Returns the server's reply for the settings page. */
async function testSignIn(server: OwnServer, guard: SmtpGuard): Promise<string> {
  try {
    const connection = await openConnection(toSmtpSettings(server, guard), CONNECT_MS)
    quit(connection)
    return server.user === '' ? 'It accepts email without sign-in' : 'User and password were accepted'
  } catch (error) {
    if (error instanceof SmtpError) throw new AppError('unprocessable', explainServerFailure(error.failure, server))
    throw error
  }
}

export async function removeServer(
  deps: Pick<Deps, 'config' | 'db' | 'log' | 'now'>,
  account: AccountDb<Db>,
  session: Session,
): Promise<void> {
  keepDemo(session)
  // Without it, mail is sent from the installation's domain, which requires a verified account.
  if (chooseMailRoute(deps.config) !== 'none') await assertVerified(account)
  if (!(await sql.deleteMailServer(account))) return
  await wakeMessagesOf(deps.db, account.accountId, ['mail_server_away'], deps.now())
  deps.log.info({ accountId: account.accountId }, 'mail-server.removed')
}

function keepDemo({ isDemo }: Session): void {
  if (isDemo) throw new AppError('forbidden', mailServerTexts.demo)
}
