import { lookup } from 'node:dns/promises'
import { ImapFlow } from 'imapflow'
import { judgeAddress } from '../net/addresses.ts'
import { oneLine } from './smtp-outcome.ts'

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
}

/** The sentence is the server's own, or about the way to it; for the mailbox's owner. */
export class ImapProblem extends Error {
  override name = 'ImapProblem'
}

export interface Mailbox {
  uidValidity: string
  /** Of the newest message. */
  lastUid: number
  /** Raw, the oldest first, at most `most` of those after a number, each cut at `bytes`. */
  after(uid: number, most: number, bytes: number): Promise<{ uid: number; raw: Buffer }[]>
  /** Those that were understood are marked as read, and stay. */
  markRead(uids: readonly number[]): Promise<void>
}

const STARTTLS_PORT = 143
const LIMIT_MS = 20_000

/** Signs in, opens the inbox, and ends whatever happens. Throws an ImapProblem. */
export async function withInbox<T>(access: ImapAccess, work: (mailbox: Mailbox) => Promise<T>): Promise<T> {
  const client = new ImapFlow({
    host: await checkedAddress(access),
    servername: access.host,
    port: access.port,
    secure: access.port !== STARTTLS_PORT,
    ...(access.port === STARTTLS_PORT && { doSTARTTLS: true }),
    auth: { user: access.user, pass: access.password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: LIMIT_MS,
    greetingTimeout: LIMIT_MS,
    socketTimeout: LIMIT_MS * 3,
    tls: access.ca ? { ca: access.ca } : {},
  })
  // Without a listener a connection that breaks later would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    const box = await client.mailboxOpen('INBOX')
    return await work({
      uidValidity: String(box.uidValidity),
      lastUid: Math.max(0, Number(box.uidNext) - 1),
      async after(uid, most, bytes) {
        const found: { uid: number; raw: Buffer }[] = []
        if (box.exists === 0) return found
        const range = `${uid + 1}:*`
        for await (const each of client.fetch(
          range,
          { uid: true, source: { start: 0, maxLength: bytes } },
          { uid: true },
        )) {
          // `*` is the newest message, even when it is older than the first number.
          if (each.uid > uid && each.source) found.push({ uid: each.uid, raw: each.source })
          if (found.length >= most) break
        }
        return found.sort((one, other) => one.uid - other.uid)
      },
      async markRead(uids) {
        if (uids.length > 0) await client.messageFlagsAdd(uids.join(','), ['\\Seen'], { uid: true })
      },
    })
  } catch (error) {
    throw error instanceof ImapProblem ? error : new ImapProblem(sentenceOf(error))
  } finally {
    client.close()
  }
}

async function checkedAddress({ host, allowsPrivate }: ImapAccess): Promise<string> {
  const found = await lookup(host, { all: true }).catch(() => [])
  if (found.length === 0) throw new ImapProblem(`The name ${host} leads nowhere.`)
  const kinds = found.map(({ address }) => ({ address, kind: judgeAddress(address) }))
  const good = kinds.find(({ kind }) => kind === 'public' || (kind === 'private' && allowsPrivate))
  if (!good) throw new ImapProblem(`${host} leads to an address that is not public.`)
  return good.address
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

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'Nobody answers at this port.',
  ETIMEDOUT: 'The server did not answer in time.',
  CONNECT_TIMEOUT: 'The server did not answer in time.',
  GREETING_TIMEOUT: 'The server did not answer in time.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The server’s certificate is not one that can be believed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The server’s certificate is not one that can be believed.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The server’s certificate is for another name.',
  CERT_HAS_EXPIRED: 'The server’s certificate has expired.',
}
