// A pool of signed-in SMTP connections. nodemailer implements the protocol. Its own pool requeues a message when a
// connection closes and does not report whether the final dot was sent, so it could send twice.
import { isIP } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { resolveGuarded } from '../../core/net/public.ts'
import type { SmtpFailure, SmtpStage } from '../../messages/channels/public.ts'
import type { SmtpSettings } from './smtp-settings.ts'

export interface SmtpTimeouts {
  /** DNS, TCP, TLS, greeting and sign-in together. */
  connectMs: number
  /** MAIL, RCPT and DATA together, and writing the body of a large mail. */
  sendMs: number
  /** The reply to the final dot. RFC 5321 requires 10 minutes; a message that times out here stays `unknown`. */
  finalAnswerMs: number
  /** Idle connections are closed after this; servers must keep them for 5 minutes. */
  idleMs: number
  /** How long `close` waits for messages in flight before it cuts their connections. */
  closeGraceMs: number
}

export class SmtpError extends Error {
  readonly failure: SmtpFailure
  constructor(failure: SmtpFailure) {
    super(failure.response)
    this.failure = failure
  }
}

export interface RawError extends Error {
  code?: string | undefined
  originalCode?: string | undefined
  response?: string | undefined
  responseCode?: number | undefined
  command?: string | undefined
}

/** Maps an error of nodemailer. */
export function toSmtpFailure(error: RawError, stage: SmtpStage, isBodySent = false): SmtpFailure {
  return {
    stage,
    isBodySent,
    code: error.code ?? null,
    systemCode: error.originalCode ?? null,
    command: error.command ?? null,
    response: error.response ?? error.message,
    replyCode: error.responseCode ?? null,
  }
}

/** Called with every line of the session except the message. Credentials are masked. */
export type SmtpListener = (side: 'client' | 'server', text: string) => void

/** Opens a connection that is encrypted as configured and signed in. Rejects with an SmtpError. */
export async function openConnection(
  settings: SmtpSettings,
  connectMs: number,
  listener?: SmtpListener,
): Promise<SMTPConnection> {
  const address = await resolveHost(settings)
  return connect(settings, connectionOptions(settings, address, connectMs), listener)
}

/** Resolves an untrusted host once and checks the address; we connect to exactly that address (X4). */
async function resolveHost({ host, guard }: SmtpSettings): Promise<string> {
  if (!guard) return host
  const found = await resolveGuarded(host, guard)
  if ('address' in found) return found.address
  const isUnknown = found.problem === 'not_found'
  const message = isUnknown ? `The name ${host} was not found` : `${host} leads to an address that is not public`
  throw new SmtpError(toSmtpFailure(buildRawError(isUnknown ? 'EDNS' : 'EPRIVATE', message), 'connect'))
}

function connect(
  settings: SmtpSettings,
  options: ReturnType<typeof connectionOptions>,
  listener?: SmtpListener,
): Promise<SMTPConnection> {
  return new Promise((resolve, reject) => {
    const connectMs = options.connectionTimeout
    const connection = new SMTPConnection(listener ? { ...options, ...transcript(listener) } : options)
    let stage: SmtpStage = 'connect'
    // The error listener stays for the connection's life, because an idle connection may fail at any time.
    const fail = (error: RawError) => {
      clearTimeout(timer)
      // Reject first: closing the connection emits another error.
      reject(new SmtpError(toSmtpFailure(error, stage)))
      connection.close()
    }
    const ready = () => {
      clearTimeout(timer)
      resolve(connection)
    }
    const timer = setTimeout(() => fail(buildRawError('ETIMEDOUT', 'The server did not answer in time')), connectMs)
    connection.on('error', fail)
    connection.once('end', () => fail(buildRawError('ECONNECTION', 'The server closed the connection')))
    connection.connect((error) => {
      if (error) return fail(error)
      if (!settings.auth) return ready()
      stage = 'sign_in'
      // Without sign-in the server would reject every recipient permanently.
      if (!connection.allowsAuth) return fail(buildRawError('EAUTH', 'The server does not offer signing in'))
      connection.login({ ...settings.auth, credentials: settings.auth }, (error) => (error ? fail(error) : ready()))
    })
  })
}

export function buildRawError(code: string, message: string): RawError {
  return Object.assign(new Error(message), { code })
}

function connectionOptions(settings: SmtpSettings, address: string, connectMs: number) {
  return {
    host: address,
    // The certificate must match the host name, although we connect to an address.
    ...(isIP(settings.host) ? {} : { servername: settings.host }),
    port: settings.port,
    secure: settings.isTlsFromStart,
    requireTLS: settings.isTlsRequired,
    ignoreTLS: settings.isTlsIgnored,
    tls: { rejectUnauthorized: settings.isCertificateChecked, ...(settings.guard?.ca && { ca: settings.guard.ca }) },
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    // Our own time limits are stricter; this one only detects a dead peer.
    socketTimeout: 15 * 60_000,
    socketCloseTimeout: 1_000,
    maxResponseSize: 64 * 1024,
    ...(settings.clientName ? { name: settings.clientName } : {}),
  }
}

function transcript(listener: SmtpListener) {
  const hear = (entry: { tnx?: string }, text: unknown) => {
    if (entry.tnx === 'client' || entry.tnx === 'server') listener(entry.tnx, String(text))
  }
  const deaf = () => undefined
  const logger = { level: deaf, trace: deaf, debug: hear, info: deaf, warn: deaf, error: deaf, fatal: deaf }
  return { logger, transactionLog: true }
}

export interface Lease {
  connection: SMTPConnection
  /** Used before, so the server may have dropped it meanwhile. */
  isReused: boolean
  /** Sets the session listener until the lease is released. */
  listen(listener: SmtpListener): void
}

interface Warm {
  connection: SMTPConnection
  listener: SmtpListener | null
  uses: number
  idleTimer: NodeJS.Timeout | undefined
}

const USES_PER_CONNECTION = 100

/** At most `size` connections; a lease waits while all are busy. */
export class SmtpConnections {
  readonly #settings: SmtpSettings
  readonly #timeouts: SmtpTimeouts
  readonly #size: number
  readonly #idle: Warm[] = []
  readonly #busy = new Map<SMTPConnection, Warm>()
  readonly #waiting: (() => void)[] = []
  #held = 0
  #isClosed = false

  constructor(settings: SmtpSettings, timeouts: SmtpTimeouts, size: number) {
    this.#settings = settings
    this.#timeouts = timeouts
    this.#size = size
  }

  /** Rejects with an SmtpError if connecting or signing in fails, or if the channel is closed. */
  async lease({ isFresh = false } = {}): Promise<Lease> {
    await this.#turn()
    try {
      if (this.#isClosed) throw closedError()
      const idle = isFresh ? undefined : this.#takeIdle()
      if (idle) return buildLease(idle, true)
      const warm = await this.#open()
      if (this.#isClosed) {
        warm.connection.close()
        throw closedError()
      }
      this.#busy.set(warm.connection, warm)
      return buildLease(warm, false)
    } catch (error) {
      this.#passTurn()
      throw error
    }
  }

  async #open(): Promise<Warm> {
    const heard: Pick<Warm, 'listener'> = { listener: null }
    const listener: SmtpListener = (side, text) => heard.listener?.(side, text)
    const connection = await openConnection(this.#settings, this.#timeouts.connectMs, listener)
    return Object.assign(heard, { connection, uses: 0, idleTimer: undefined })
  }

  /** Releases a lease. A connection in an uncertain state is closed, never reused. */
  release({ connection }: Lease, isHealthy: boolean) {
    const warm = this.#busy.get(connection)
    this.#busy.delete(connection)
    if (warm) warm.listener = null
    if (!warm || !isHealthy || connection.destroyed) connection.close()
    else if (this.#isClosed || ++warm.uses >= USES_PER_CONNECTION) quit(connection)
    else this.#keepWarm(warm)
    this.#passTurn()
  }

  /** Closes idle connections with QUIT. Busy ones may finish within `closeGraceMs`, else they are cut. */
  async close() {
    this.#isClosed = true
    for (const warm of this.#idle.splice(0)) {
      clearTimeout(warm.idleTimer)
      quit(warm.connection)
    }
    const deadline = Date.now() + this.#timeouts.closeGraceMs
    while (this.#held > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20))
    for (const connection of this.#busy.keys()) connection.close()
  }

  async #turn() {
    if (this.#held >= this.#size) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#held += 1
  }

  #passTurn() {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#held -= 1
  }

  /** Takes the most recently used connection: the server is least likely to have dropped it. */
  #takeIdle(): Warm | undefined {
    for (let warm = this.#idle.pop(); warm; warm = this.#idle.pop()) {
      clearTimeout(warm.idleTimer)
      if (warm.connection.destroyed) continue
      this.#busy.set(warm.connection, warm)
      return warm
    }
    return undefined
  }

  #keepWarm(warm: Warm) {
    this.#idle.push(warm)
    warm.idleTimer = setTimeout(() => {
      const at = this.#idle.indexOf(warm)
      if (at >= 0) this.#idle.splice(at, 1)
      quit(warm.connection)
    }, this.#timeouts.idleMs)
    warm.idleTimer.unref()
  }
}

function buildLease(warm: Warm, isReused: boolean): Lease {
  return {
    connection: warm.connection,
    isReused,
    listen: (listener) => {
      warm.listener = listener
    },
  }
}

/** Sends QUIT, and closes the socket if the server does not reply. */
export function quit(connection: SMTPConnection) {
  if (connection.destroyed) return
  connection.quit()
  setTimeout(() => connection.close(), 2_000).unref()
}

function closedError(): SmtpError {
  return new SmtpError(toSmtpFailure(buildRawError('ECONNECTION', 'The channel is closed'), 'connect'))
}
