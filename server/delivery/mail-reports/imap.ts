import type { ImapFlow } from 'imapflow'
import { oneLine } from '../../messages/channels/bounce-rules.ts'
import { resolveGuarded } from '../../core/net/resolve.ts'

// Reading somebody's mailbox by IMAP. Its host is what a stranger typed: the address that was checked is the one that is dialled (X4).

export interface ImapAccess {
  host: string
  /** 143: encrypted by STARTTLS, and not without it; any other, as 993: from the start. */
  port: number
  user: string
  password: string
  allowsPrivate: boolean
  /** Certificate authorities of a test's own. */
  ca?: string
  /** How long all of it may take. */
  limitMs?: number
}

/** The sentence is the server's own, or about the way to it; for the mailbox's owner. */
export class ImapProblem extends Error {
  override name = 'ImapProblem'
}

export interface Mailbox {
  uidValidity: string
  /** Of the newest message. */
  lastUid: number
  /** Raw, the oldest of those after a number first, each cut at `bytes`; no more than what is kept in memory at once. */
  after(uid: number, bytes: number): Promise<{ messages: { uid: number; raw: Buffer }[]; isMore: boolean }>
  /** Those that were understood are marked as read, and stay. */
  markRead(uids: readonly number[]): Promise<void>
}

const STARTTLS_PORT = 143
const ANSWER_MS = 20_000
const WHOLE_MS = 120_000
const MOST_MESSAGES = 200
const MOST_BYTES = 8 * 1024 * 1024
/** The largest UID (RFC 9051). */
const MAX_UID = 0xffff_ffff
/** What one answer may hold. A message is cut long before, but only by servers that do as they are told. */
const ANSWER_BYTES = { maxLineLength: 64 * 1024, maxLiteralSize: 1024 * 1024, maxResponseSize: 2 * 1024 * 1024 }

/** Signs in, opens the inbox, and ends whatever happens and whatever the server does. Throws an ImapProblem. */
export async function withInbox<T>(access: ImapAccess, work: (mailbox: Mailbox) => Promise<T>): Promise<T> {
  const client = await openClient(access, await checkedAddress(access))
  let lost: Error | undefined
  // Without a listener a connection that breaks later would end the process.
  client.on('error', (error) => {
    lost ??= error
  })
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  // A server that keeps saying something, and never what it was asked, would otherwise hold this for ever.
  const timer = setTimeout(() => reject(new ImapProblem(WORDS.ETIMEDOUT!)), access.limitMs ?? WHOLE_MS)
  try {
    return await Promise.race([readInbox(client, work), tooLate])
  } catch (error) {
    if (error instanceof ImapProblem) throw error
    // What waits for an answer hears only that there is no connection any more.
    throw new ImapProblem(sentenceOf((error as { code?: string }).code === 'NoConnection' ? (lost ?? error) : error))
  } finally {
    clearTimeout(timer)
    client.close()
  }
}

async function openClient(access: ImapAccess, address: string): Promise<ImapFlow> {
  // With its tables of Japanese writing it takes 8 MB, and few installations read a mailbox.
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
    lastUid: uidOf(Number(box.uidNext) - 1),
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
    if (messages.length >= MOST_MESSAGES || size >= MOST_BYTES) break
  }
  const isMore = messages.length >= MOST_MESSAGES || size >= MOST_BYTES
  return { messages: messages.sort((one, other) => one.uid - other.uid), isMore }
}

/** A number of 32 bits, whatever the server calls one. */
const uidOf = (given: number): number => Math.min(Math.max(0, Number.isFinite(given) ? given : 0), MAX_UID)

async function checkedAddress({ host, allowsPrivate }: ImapAccess): Promise<string> {
  const found = await resolveGuarded(host, { allowsPrivate })
  if ('address' in found) return found.address
  throw new ImapProblem(
    found.problem === 'not_found'
      ? `The name ${host} was not found.`
      : `${host} points to an address that is not public.`,
  )
}

function sentenceOf(error: unknown): string {
  const { code, responseText, authenticationFailed, message } = error as {
    code?: string
    responseText?: string
    authenticationFailed?: boolean
    message?: string
  }
  if (authenticationFailed) return `User and password were refused: ${oneLine(responseText ?? 'no reason given')}`
  if (code && WORDS[code]) return WORDS[code]
  return oneLine(responseText ?? message ?? 'The mailbox could not be read.')
}

const TOO_LONG = 'The server’s answer is too long to be read.'

const WORDS: Record<string, string> = {
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
