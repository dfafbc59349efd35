import type { z } from 'zod'
import type { MailboxView, saveBounceMailbox } from '../../../shared/bounce-mailbox.ts'
import { textChannelTexts } from '../../../shared/text-channels.ts'
import type { Session } from '../../access/members/session.ts'
import { AppError } from '../../core/common/errors.ts'
import type { AccountDb, Db } from '../../core/db/db.ts'
import { type Limit, takePoint } from '../../core/db/rate-limits.ts'
import * as system from '../../core/db/system.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './bounce-mailbox-sql.ts'
import { readMailNews } from './dsn.ts'
import { type ImapAccess, ImapProblem, type Mailbox, withInbox } from './imap.ts'
import { recordMailReport } from './mail-reports.ts'

// An account's bounce mailbox, read every few minutes. A bounce is identified by the Message-ID of the returned mail
// and applies only to mail of this account.

const CHECKS: Limit = { name: 'mailbox-check', points: 20, windowS: 900 }
const READ_EVERY_MS = 3 * 60_000
/** Retry time for a mailbox that cannot be read or whose reader crashed. */
const ASK_AGAIN_MS = 15 * 60_000
/** Time limit while a user waits for the result. */
const CHECK_MS = 45_000
const MAX_BYTES = 512 * 1024

const sealContext = (accountId: string): string => `bounce mailbox:${accountId}`

export async function viewMailbox(account: AccountDb, { isDemo }: Session): Promise<MailboxView> {
  const row = await sql.readMailbox(account)
  if (!row) return { mailbox: null, isFixed: isDemo }
  const { address, host, port, user_name: user, reports, read_at, problem, version } = row
  const readAt = read_at?.toISOString() ?? null
  return { mailbox: { address, host, port, user, reports, readAt, problem, version }, isFixed: isDemo }
}

/**
 * Tests and saves the mailbox. Throws `unprocessable` with the server's reply and saves nothing if the test fails.
 * Ignores existing mails.
 */
export async function saveMailbox(
  deps: Deps,
  account: AccountDb<Db>,
  session: Session,
  wanted: z.output<typeof saveBounceMailbox.body>,
): Promise<void> {
  keepDemo(session)
  await takePoint(deps, CHECKS, account.accountId)
  const { address, host, port, user, version } = wanted
  const kept = await sql.readMailbox(account)
  const isSameDoor = kept?.host === host && kept.port === port && kept.user_name === user
  // A stored password is sent only to the server it was entered for.
  const password = wanted.password || (kept && isSameDoor ? open(deps, kept) : '')
  if (!password) throw new AppError('invalid', 'Enter the password', { fields: { password: 'This field is required' } })
  const found = await check({
    host,
    port,
    user,
    password,
    allowsPrivate: deps.config.allowsPrivateStores,
    limitMs: CHECK_MS,
  })
  const { accountId } = account
  const encrypted = deps.secrets.seal(password, sealContext(accountId))
  const row = { address, host, port, user_name: user, encrypted, version, ...found }
  if (!(await sql.saveMailbox(account, row, deps.now()))) {
    throw new AppError('conflict', textChannelTexts.changedMeanwhile)
  }
  deps.log.info({ accountId }, 'channels.mailbox-saved')
}

export async function removeMailbox(account: AccountDb, session: Session): Promise<void> {
  keepDemo(session)
  await sql.deleteMailbox(account)
}

function keepDemo({ isDemo }: Session): void {
  if (isDemo) throw new AppError('forbidden', 'The demo’s sender cannot be changed.')
}

async function check(access: ImapAccess) {
  try {
    return await withInbox(access, async ({ uidValidity, lastUid }) => ({
      uid_validity: uidValidity,
      last_uid: lastUid,
    }))
  } catch (error) {
    if (error instanceof ImapProblem) throw new AppError('unprocessable', error.message)
    throw error
  }
}

/** Tick: reads the due mailboxes. An unresponsive one does not delay the others. */
export async function readMailboxes(deps: Deps, ca?: string): Promise<void> {
  const now = deps.now()
  const due = await sql.takeDueMailboxes(deps.db, now, new Date(now.getTime() + ASK_AGAIN_MS))
  await Promise.all(due.map((row) => readOne(deps, row, ca)))
}

async function readOne(deps: Deps, row: sql.MailboxRow, ca?: string): Promise<void> {
  const account = { accountId: row.account_id, db: deps.db }
  const { host, port, user_name: user } = row
  const access = { host, port, user, password: open(deps, row), allowsPrivate: deps.config.allowsPrivateStores }
  try {
    const read = await withInbox({ ...access, ...(ca ? { ca } : {}) }, (mailbox) => readNew(deps, row, mailbox))
    const now = deps.now()
    const again = new Date(now.getTime() + (read.isMore ? 0 : READ_EVERY_MS))
    await sql.noteReading(account, row.version, { ...read, problem: null, now, again })
  } catch (error) {
    if (!(error instanceof ImapProblem)) deps.log.error({ err: error }, 'channels.mailbox-failed')
    const problem = error instanceof ImapProblem ? error.message : 'A message in it could not be read. It is retried.'
    const now = deps.now()
    const again = new Date(now.getTime() + ASK_AGAIN_MS)
    const unread = { uidValidity: null, lastUid: row.last_uid, reports: 0 }
    await sql.noteReading(account, row.version, { ...unread, problem, now, again })
  }
}

async function readNew(deps: Deps, row: sql.MailboxRow, mailbox: Mailbox) {
  const { uidValidity } = mailbox
  const from = row.uid_validity === uidValidity ? row.last_uid : 0
  const { messages, isMore } = await mailbox.after(from, MAX_BYTES)
  const understood: number[] = []
  for (const { uid, raw } of messages) if (await readReport(deps, row.account_id, raw)) understood.push(uid)
  await mailbox.markRead(understood)
  const lastUid = messages.at(-1)?.uid ?? from
  return { uidValidity, lastUid, reports: understood.length, isMore }
}

/** Returns whether it was a report about a mail of this account. */
async function readReport(deps: Deps, accountId: string, raw: Buffer): Promise<boolean> {
  const ids = messageIdsIn(raw)
  const mails = await Promise.all(ids.map((id) => system.findMailById(deps.db, id)))
  const own = mails.find((mail) => mail?.account_id === accountId)
  const news = own ? await readMailNews(raw) : null
  if (!own || !news) return false
  await recordMailReport(deps, { messageId: own.id, ...news })
  return true
}

const MESSAGE_ID = /<([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})@/gi

/** Finds message ids of ours in the report, which contains the head of the returned mail. At most a few. */
function messageIdsIn(raw: Buffer): string[] {
  const ids = [...raw.toString('latin1').matchAll(MESSAGE_ID)].map(([, id]) => id!.toLowerCase())
  return [...new Set(ids)].slice(0, 5)
}

const open = ({ secrets }: Deps, row: sql.MailboxRow): string =>
  secrets.open(row.encrypted, sealContext(row.account_id))
