// Signed-in SMTP connections, kept warm. nodemailer speaks the protocol; its own pool is not used because it puts a
// message back into its queue when a connection closes, and cannot say whether the final dot had left by then.
import { isIP } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SmtpFailure, SmtpStage } from '../../messages/channels/smtp-outcome.ts'
import { resolveGuarded } from '../../core/net/resolve.ts'
import type { SmtpSettings } from './smtp-settings.ts'

export interface SmtpTimeouts {
  /** DNS, TCP, TLS, greeting and sign-in together. */
  connectMs: number
  /** MAIL, RCPT and DATA together, and writing the body of a large mail. */
  sendMs: number
  /** The answer to the final dot. RFC 5321 asks for 10 minutes; what ends early here stays `unknown` for good. */
  finalAnswerMs: number
  /** An unused connection is given back after this; servers must hold one for 5 minutes. */
  idleMs: number
  /** What closing the channel grants to messages in flight before it cuts them. */
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

/** What nodemailer reported, in our words. */
export function failureOf(error: RawError, stage: SmtpStage, isBodySent = false): SmtpFailure {
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

/** Hears every line of the conversation but the message; what signs us in is masked. */
export type SmtpListener = (side: 'client' | 'server', text: string) => void

/** A connection that is greeted, encrypted as far as asked for, and signed in. Rejects with an SmtpError. */
export async function openConnection(
  settings: SmtpSettings,
  connectMs: number,
  listener?: SmtpListener,
): Promise<SMTPConnection> {
  const address = await addressToDial(settings)
  return connect(settings, connectionOptions(settings, address, connectMs), listener)
}

/** A host that a stranger typed is looked up once, checked, and dialled by its address (X4). */
async function addressToDial({ host, guard }: SmtpSettings): Promise<string> {
  if (!guard) return host
  const found = await resolveGuarded(host, guard)
  if ('address' in found) return found.address
  const isUnknown = found.problem === 'not_found'
  const words = isUnknown ? `The name ${host} was not found` : `${host} leads to an address that is not public`
  throw new SmtpError(failureOf(problem(isUnknown ? 'EDNS' : 'EPRIVATE', words), 'connect'))
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
    // The error listener stays for the connection's life: an idle one may fail at any time, and that only ends it.
    const fail = (error: RawError) => {
      clearTimeout(timer)
      // First the reason, then the hang-up: closing reports an end of its own.
      reject(new SmtpError(failureOf(error, stage)))
      connection.close()
    }
    const ready = () => {
      clearTimeout(timer)
      resolve(connection)
    }
    const timer = setTimeout(() => fail(problem('ETIMEDOUT', 'The server did not answer in time')), connectMs)
    connection.on('error', fail)
    connection.once('end', () => fail(problem('ECONNECTION', 'The server closed the connection')))
    connection.connect((error) => {
      if (error) return fail(error)
      if (!settings.auth) return ready()
      stage = 'sign_in'
      // Going on unsigned would make the server refuse every recipient for good.
      if (!connection.allowsAuth) return fail(problem('EAUTH', 'The server does not offer signing in'))
      connection.login({ ...settings.auth, credentials: settings.auth }, (error) => (error ? fail(error) : ready()))
    })
  })
}

export function problem(code: string, message: string): RawError {
  return Object.assign(new Error(message), { code })
}

function connectionOptions(settings: SmtpSettings, address: string, connectMs: number) {
  return {
    host: address,
    // The certificate has to be for the name, whatever address it leads to.
    ...(isIP(settings.host) ? {} : { servername: settings.host }),
    port: settings.port,
    secure: settings.isTlsFromStart,
    requireTLS: settings.isTlsRequired,
    ignoreTLS: settings.isTlsIgnored,
    tls: { rejectUnauthorized: settings.isCertificateChecked, ...(settings.guard?.ca && { ca: settings.guard.ca }) },
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    // Our own deadlines are stricter; this one only notices a peer that is gone for good.
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
  /** Used before: the server may have dropped it in between without our noticing yet. */
  isReused: boolean
  /** Hears the conversation until the lease is given back; replaces the listener before it. */
  listen(listener: SmtpListener): void
}

interface Warm {
  connection: SMTPConnection
  listener: SmtpListener | null
  uses: number
  idleTimer: NodeJS.Timeout | undefined
}

const USES_PER_CONNECTION = 100

/** At most `size` connections; a lease waits its turn when all are busy. */
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

  /** Rejects with an SmtpError when connecting or signing in fails, or the channel is closed. */
  async lease({ isFresh = false } = {}): Promise<Lease> {
    await this.#turn()
    try {
      if (this.#isClosed) throw closedError()
      const idle = isFresh ? undefined : this.#takeIdle()
      if (idle) return leaseOf(idle, true)
      const warm = await this.#open()
      if (this.#isClosed) {
        warm.connection.close()
        throw closedError()
      }
      this.#busy.set(warm.connection, warm)
      return leaseOf(warm, false)
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

  /** Gives a lease back; a connection in an uncertain state is closed, never reused. */
  release({ connection }: Lease, isHealthy: boolean) {
    const warm = this.#busy.get(connection)
    this.#busy.delete(connection)
    if (warm) warm.listener = null
    if (!warm || !isHealthy || connection.destroyed) connection.close()
    else if (this.#isClosed || ++warm.uses >= USES_PER_CONNECTION) quit(connection)
    else this.#keepWarm(warm)
    this.#passTurn()
  }

  /** Idle connections say goodbye; busy ones finish, or are cut after a while (their outcome says how far they came). */
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

  /** The most recently used one: it is the least likely to have been dropped. */
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

function leaseOf(warm: Warm, isReused: boolean): Lease {
  return {
    connection: warm.connection,
    isReused,
    listen: (listener) => {
      warm.listener = listener
    },
  }
}

/** Says goodbye, and hangs up if the server does not answer that either. */
export function quit(connection: SMTPConnection) {
  if (connection.destroyed) return
  connection.quit()
  setTimeout(() => connection.close(), 2_000).unref()
}

function closedError(): SmtpError {
  return new SmtpError(failureOf(problem('ECONNECTION', 'The channel is closed'), 'connect'))
}
