import type { ImapFlow } from 'imapflow'
import type { z } from 'zod'
import type { MailboxView, saveBounceMailbox } from '../../../shared/delivery/bounce-mailbox.ts'
import { textChannelTexts } from '../../../shared/messages/text-channels.ts'
import type { Session } from '../../access/members/public.ts'
import { AppError } from '../../core/common/public.ts'
import * as system from '../../core/db/public.ts'
import { type AccountDb, type Db, type Limit, takePoint } from '../../core/db/public.ts'
import { resolveGuarded } from '../../core/net/public.ts'
import type { Deps } from '../../deps.ts'
import { joinLines } from '../../messages/channels/public.ts'
import * as sql from './bounce-mailbox-sql.ts'
import { readMailNews } from './dsn.ts'
import { recordMailReport } from './mail-reports.ts'

// An account's bounce mailbox, read every few minutes. A bounce is identified by the Message-ID of the returned mail
// and applies only to mail of this account.

const CHECKS: Limit = { name: 'mailbox-check', points: 20, windowS: 900 }
const READ_EVERY_MS = 3 * 60_000
/** Retry time for a mailbox that cannot be read or whose reader crashed. */
const ASK_AGAIN_MS = 15 * 60_000
/** Time limit while a user waits for the result. */
const CHECK_MS = 45_000
const MAX_MESSAGE_BYTES = 512 * 1024

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
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'pool' | 'secrets'>,
  account: AccountDb<Db>,
  session: Session,
  input: z.output<typeof saveBounceMailbox.body>,
): Promise<void> {
  keepDemo(session)
  await takePoint(deps, CHECKS, account.accountId)
  const { address, host, port, user, version } = input
  const stored = await sql.readMailbox(account)
  const isSameDoor = stored?.host === host && stored.port === port && stored.user_name === user
  // A stored password is sent only to the server it was entered for.
  const password = input.password || (stored && isSameDoor ? openPassword(deps, stored) : '')
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
export async function readMailboxes(
  deps: Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'secrets'>,
  ca?: string,
): Promise<void> {
  const now = deps.now()
  const due = await sql.takeDueMailboxes(deps.db, now, new Date(now.getTime() + ASK_AGAIN_MS))
  await Promise.all(due.map((row) => readOne(deps, row, ca)))
}

async function readOne(
  deps: Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'secrets'>,
  row: sql.MailboxRow,
  ca?: string,
): Promise<void> {
  const account = { accountId: row.account_id, db: deps.db }
  const { host, port, user_name: user } = row
  const access = { host, port, user, password: openPassword(deps, row), allowsPrivate: deps.config.allowsPrivateStores }
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

async function readNew(deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets'>, row: sql.MailboxRow, mailbox: Mailbox) {
  const { uidValidity } = mailbox
  const from = row.uid_validity === uidValidity ? row.last_uid : 0
  const { messages, isMore } = await mailbox.after(from, MAX_MESSAGE_BYTES)
  const understood: number[] = []
  for (const { uid, raw } of messages) if (await readReport(deps, row.account_id, raw)) understood.push(uid)
  await mailbox.markRead(understood)
  const lastUid = messages.at(-1)?.uid ?? from
  return { uidValidity, lastUid, reports: understood.length, isMore }
}

/** Returns whether it was a report about a mail of this account. */
async function readReport(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets'>,
  accountId: string,
  raw: Buffer,
): Promise<boolean> {
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

const openPassword = ({ secrets }: Pick<Deps, 'secrets'>, row: sql.MailboxRow): string =>
  secrets.open(row.encrypted, sealContext(row.account_id))

// Reads a mailbox by IMAP. The host is untrusted input, so we connect to exactly the address that was checked (X4).

export interface ImapAccess {
  host: string
  /** 143 requires STARTTLS; any other port, such as 993, uses implicit TLS. */
  port: number
  user: string
  password: string
  allowsPrivate: boolean
  /** Certificate authorities for tests. */
  ca?: string
  /** Time limit for the whole session. */
  limitMs?: number
}

/** Its message is for the mailbox's owner: the server's reply or a connection problem. */
class ImapProblem extends Error {
  override name = 'ImapProblem'
}

interface Mailbox {
  uidValidity: string
  /** UID of the newest message. */
  lastUid: number
  /** Reads raw messages after `uid`, oldest first, each cut at `bytes`, up to a memory limit. */
  after(uid: number, bytes: number): Promise<{ messages: { uid: number; raw: Buffer }[]; isMore: boolean }>
  /** Marks messages as read; they stay in the mailbox. */
  markRead(uids: readonly number[]): Promise<void>
}

const STARTTLS_PORT = 143
const ANSWER_MS = 20_000
const WHOLE_MS = 120_000
const MAX_MESSAGES = 200
const MAX_BATCH_BYTES = 8 * 1024 * 1024
/** The largest UID (RFC 9051). */
const MAX_UID = 0xffff_ffff
/** Limits of one response. We request shorter messages, but a hostile server may ignore that. */
const ANSWER_BYTES = { maxLineLength: 64 * 1024, maxLiteralSize: 1024 * 1024, maxResponseSize: 2 * 1024 * 1024 }

/** Signs in, opens the inbox, runs `work` and always closes the connection. Throws an ImapProblem. */
export async function withInbox<T>(access: ImapAccess, work: (mailbox: Mailbox) => Promise<T>): Promise<T> {
  const client = await openClient(access, await checkedAddress(access))
  let lost: Error | undefined
  // Without a listener, a later connection error would crash the process.
  client.on('error', (error) => {
    lost ??= error
  })
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  // A server that keeps sending unrelated lines would otherwise block this for ever.
  const timer = setTimeout(() => reject(new ImapProblem(ERROR_TEXTS.ETIMEDOUT!)), access.limitMs ?? WHOLE_MS)
  try {
    return await Promise.race([readInbox(client, work), tooLate])
  } catch (error) {
    if (error instanceof ImapProblem) throw error
    // Pending commands only report a missing connection; `lost` has the cause.
    throw new ImapProblem(describeError((error as { code?: string }).code === 'NoConnection' ? (lost ?? error) : error))
  } finally {
    clearTimeout(timer)
    client.close()
  }
}

async function openClient(access: ImapAccess, address: string): Promise<ImapFlow> {
  // Loaded on demand: it takes 8 MB, and few installations read a mailbox.
  const { ImapFlow } = await import('imapflow')
  return new ImapFlow({
    host: address,
    servername: access.host,
    port: access.port,
    secure: access.port !== STARTTLS_PORT,
    ...(access.port === STARTTLS_PORT && { doSTARTTLS: true }),
    auth: { user: access.user, pass: access.password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: ANSWER_MS,
    greetingTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS * 3,
    ...ANSWER_BYTES,
    tls: access.ca ? { ca: access.ca } : {},
  })
}

async function readInbox<T>(client: ImapFlow, work: (mailbox: Mailbox) => Promise<T>): Promise<T> {
  await client.connect()
  const box = await client.mailboxOpen('INBOX')
  return work({
    uidValidity: String(box.uidValidity),
    lastUid: clampUid(Number(box.uidNext) - 1),
    after: (uid, bytes) => (box.exists === 0 ? nothingNew : readAfter(client, uid, bytes)),
    async markRead(uids) {
      if (uids.length > 0) await client.messageFlagsAdd(uids.join(','), ['\\Seen'], { uid: true })
    },
  })
}

const nothingNew = Promise.resolve({ messages: [], isMore: false })

async function readAfter(client: ImapFlow, uid: number, bytes: number) {
  const messages: { uid: number; raw: Buffer }[] = []
  let size = 0
  const source = { start: 0, maxLength: bytes }
  for await (const each of client.fetch(`${uid + 1}:*`, { uid: true, source }, { uid: true })) {
    // `*` is the newest message, even when it is older than the first number.
    if (each.uid <= uid || each.uid > MAX_UID || !each.source) continue
    const raw = each.source.subarray(0, bytes)
    messages.push({ uid: each.uid, raw })
    size += raw.length
    if (messages.length >= MAX_MESSAGES || size >= MAX_BATCH_BYTES) break
  }
  const isMore = messages.length >= MAX_MESSAGES || size >= MAX_BATCH_BYTES
  return { messages: messages.sort((one, other) => one.uid - other.uid), isMore }
}

/** Clamps a UID from the server to 32 bits. */
const clampUid = (uid: number): number => Math.min(Math.max(0, Number.isFinite(uid) ? uid : 0), MAX_UID)

async function checkedAddress({ host, allowsPrivate }: ImapAccess): Promise<string> {
  const found = await resolveGuarded(host, { allowsPrivate })
  if ('address' in found) return found.address
  throw new ImapProblem(
    found.problem === 'not_found'
      ? `The name ${host} was not found.`
      : `${host} points to an address that is not public.`,
  )
}

function describeError(error: unknown): string {
  const { code, responseText, authenticationFailed, message } = error as {
    code?: string
    responseText?: string
    authenticationFailed?: boolean
    message?: string
  }
  if (authenticationFailed) return `User and password were refused: ${joinLines(responseText ?? 'no reason given')}`
  if (code && ERROR_TEXTS[code]) return ERROR_TEXTS[code]
  return joinLines(responseText ?? message ?? 'The mailbox could not be read.')
}

const TOO_LONG = 'The server’s answer is too long to be read.'

const ERROR_TEXTS: Record<string, string> = {
  ECONNREFUSED: 'Nothing responds on this port.',
  ETIMEDOUT: 'The server did not answer in time.',
  CONNECT_TIMEOUT: 'The server did not answer in time.',
  GREETING_TIMEOUT: 'The server did not answer in time.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The server’s certificate is not trusted.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The server’s certificate is not trusted.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The server’s certificate is for another name.',
  CERT_HAS_EXPIRED: 'The server’s certificate has expired.',
  LiteralTooLarge: TOO_LONG,
  LineTooLarge: TOO_LONG,
  ResponseTooLarge: TOO_LONG,
}
