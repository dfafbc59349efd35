import type { ImapFlow } from 'imapflow'
import { resolveGuarded } from '../../core/net/resolve.ts'
import { oneLine } from '../../messages/channels/bounce-rules.ts'

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
export class ImapProblem extends Error {
  override name = 'ImapProblem'
}

export interface Mailbox {
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
const MOST_MESSAGES = 200
const MOST_BYTES = 8 * 1024 * 1024
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
  const timer = setTimeout(() => reject(new ImapProblem(WORDS.ETIMEDOUT!)), access.limitMs ?? WHOLE_MS)
  try {
    return await Promise.race([readInbox(client, work), tooLate])
  } catch (error) {
    if (error instanceof ImapProblem) throw error
    // Pending commands only report a missing connection; `lost` has the cause.
    throw new ImapProblem(sentenceOf((error as { code?: string }).code === 'NoConnection' ? (lost ?? error) : error))
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

/** Clamps a UID from the server to 32 bits. */
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
