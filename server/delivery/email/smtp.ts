// The email channel over SMTP. The outcome of a send is as certain as the server's reply (engine, "Message states"):
// `retry` on proof of non-acceptance, `unknown` without a reply after the final dot.
import { Readable, type Transform } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { isDatabaseUnavailable } from '../../core/db/public.ts'
import {
  buildNotSentOutcome,
  type EmailChannel,
  joinLines,
  mapFailure,
  type Outcome,
  type OutgoingEmail,
  type SmtpFailure,
} from '../../messages/channels/public.ts'
import {
  buildRawError,
  type Lease,
  openConnection,
  quit,
  type RawError,
  SmtpConnections,
  SmtpError,
  type SmtpListener,
  type SmtpTimeouts,
  toSmtpFailure,
} from './smtp-connections.ts'
import { type ComposedMessage, composeMessage, findSendProblem, type MailHeaders } from './smtp-message.ts'
import { readSmtpUrl, type SmtpSettings } from './smtp-settings.ts'

export interface SmtpChannelOptions {
  /**
   * smtp://user:password@host:port or smtps://…; options: requireTLS, ignoreTLS, tls.rejectUnauthorized, name. Or
   * parsed settings.
   */
  url: string | SmtpSettings
  /** Concurrent connections; default 5. */
  poolSize?: number
  /** The rate agreed with the provider; default: no limit. */
  ratePerSecond?: number
  /** The largest message that is sent, in bytes. */
  maxBytes?: number
  timeouts?: Partial<SmtpTimeouts>
  /** The server is the built-in mailbox. */
  isMailbox?: boolean
  /** A refused sender is a wrong setting, so the message is retried; otherwise it is rejected. */
  keepsIfSenderRefused?: boolean
  /** Return path and signature of each mail; default: the From address, unsigned. */
  mailHeaders?: (message: OutgoingEmail) => Promise<MailHeaders>
}

const TIMEOUTS: SmtpTimeouts = {
  connectMs: 15_000,
  sendMs: 60_000,
  finalAnswerMs: 300_000,
  idleMs: 120_000,
  closeGraceMs: 8_000,
}

/** Throws a sentence for the operator if the URL is wrong. Connects on first use. */
export function createSmtpChannel(options: SmtpChannelOptions): EmailChannel {
  const settings = typeof options.url === 'string' ? readSmtpUrl(options.url) : options.url
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  const poolSize = options.poolSize ?? 5
  const maxBytes = options.maxBytes ?? 5 * 1024 * 1024
  const connections = new SmtpConnections(settings, timeouts, poolSize)
  const nextSlot = createPacer(options.ratePerSecond)
  return {
    poolSize,
    ...(options.isMailbox && { isMailbox: true }),
    async send(message) {
      const refusal = findSendProblem(message)
      if (refusal) return refusal
      const composed = await prepare(message, options.mailHeaders)
      if ('kind' in composed) return composed
      if (composed.raw.length > maxBytes) return tooLarge(`${composed.raw.length} bytes, the limit is ${maxBytes}`)
      await nextSlot()
      const delivery = await startSending(connections, timeouts, composed)
      return options.keepsIfSenderRefused && isSenderRefused(delivery)
        ? { kind: 'retry', reason: 'sender_refused', response: joinLines(delivery.failure.response) }
        : toOutcome(delivery, composed)
    },
    async check() {
      try {
        quit(await openConnection(settings, timeouts.connectMs))
        return { isOk: true }
      } catch (error) {
        if (!(error instanceof SmtpError)) throw error
        return { isOk: false, response: joinLines(error.message) }
      }
    },
    close: () => connections.close(),
  }
}

/** A failure here proves that nothing was sent, so the outcome is never `unknown`. */
async function prepare(
  message: OutgoingEmail,
  mailHeaders: SmtpChannelOptions['mailHeaders'],
): Promise<ComposedMessage | Outcome> {
  try {
    return await composeMessage(message, await mailHeaders?.(message))
  } catch (error) {
    if (isDatabaseUnavailable(error)) return buildNotSentOutcome('the database was unreachable.')
    return buildNotSentOutcome(joinLines(error instanceof Error ? error.message : String(error)), null)
  }
}

/** Spaces calls evenly, so that a provider with a limit per second sees no bursts. */
function createPacer(ratePerSecond: number | undefined): () => Promise<void> {
  let nextAt = 0
  return async () => {
    if (!ratePerSecond) return
    const at = Math.max(performance.now(), nextAt)
    nextAt = at + 1_000 / ratePerSecond
    const waitMs = at - performance.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

async function startSending(
  connections: SmtpConnections,
  timeouts: SmtpTimeouts,
  message: ComposedMessage,
): Promise<Delivery> {
  try {
    const lease = await connections.lease()
    const first = await deliver(lease, timeouts, message)
    settle(connections, lease, first)
    if (!lease.isReused || !wasStale(first)) return first
    // The server had dropped the idle connection before it received anything, so a new one may send the message.
    const fresh = await connections.lease({ isFresh: true })
    const second = await deliver(fresh, timeouts, message)
    settle(connections, fresh, second)
    return second
  } catch (error) {
    if (error instanceof SmtpError) return { isAccepted: false, failure: error.failure }
    throw error
  }
}

type Delivery = { isAccepted: true; response: string } | { isAccepted: false; failure: SmtpFailure }

/** One SMTP transaction. `isBodySent` is set before the final dot can be sent. */
function deliver(lease: Lease, timeouts: SmtpTimeouts, message: ComposedMessage): Promise<Delivery> {
  const { connection } = lease
  return new Promise((resolve) => {
    let isBodySent = false
    const done = (delivery: Delivery) => {
      clearTimeout(timer)
      connection.off('end', onEnd)
      resolve(delivery)
    }
    const fail = (error: Error, isUncertain = isBodySent) => {
      const failure = toSmtpFailure(error, isBodySent ? 'body' : 'envelope', isUncertain)
      done({ isAccepted: false, failure })
    }
    const giveUp = () => {
      connection.close()
      fail(buildRawError('ETIMEDOUT', isBodySent ? 'No answer to the message' : 'The server did not answer in time'))
    }
    // nodemailer reports most losses through the callback; this catches the others, one event-loop turn later.
    const onEnd = () => setImmediate(() => fail(buildRawError('ECONNECTION', 'The server closed the connection')))
    let timer = setTimeout(giveUp, timeouts.sendMs)
    connection.once('end', onEnd)
    lease.listen(
      watchEnvelope((error) => {
        fail(error)
        connection.close()
      }),
    )
    const content = streamContent(message, () => {
      isBodySent = true
      clearTimeout(timer)
      timer = setTimeout(giveUp, timeouts.finalAnswerMs)
    })
    const envelope = { from: message.from, to: [message.to], size: message.raw.length }
    connection.send(envelope, content, (error, sent) => {
      if (error) return fail(error)
      const response = sent?.response ?? ''
      // A positive reply before the message is complete is neither acceptance nor refusal.
      if (!isBodySent) return fail(buildRawError('EPROTOCOL', response), true)
      done({ isAccepted: true, response })
    })
  })
}

/** Mails up to this size, in bytes, are sent in one write. */
const ONE_WRITE = 65_536

/**
 * The content for nodemailer, which calls `pipe` with its stream into the socket once the server accepts DATA. That
 * stream checks each byte for dot-stuffing, which costs about as much as the rest of the transaction. Content that
 * needs none bypasses it and is sent in one write with its final dot. Larger mails go in chunks, so that back-pressure
 * holds the final dot back while the server does not read. `onEnd` runs before the final dot can be sent.
 */
function streamContent({ raw, content }: ComposedMessage, onEnd: () => void): Readable {
  if (!content || content.length > ONE_WRITE)
    return Readable.from(splitChunks(raw), { objectMode: false }).once('end', onEnd)
  const ready = {
    pipe(stream: Transform) {
      onEnd()
      stream.push(content)
      stream.push(null)
    },
  }
  return ready as unknown as Readable
}

function* splitChunks(raw: Buffer) {
  for (let at = 0; at < raw.length; at += 16_384) yield raw.subarray(at, at + 16_384)
}

function toOutcome(delivery: Delivery, message: ComposedMessage): Outcome {
  if (delivery.isAccepted) {
    return { kind: 'accepted', providerId: message.messageIdHeader, response: joinLines(delivery.response) }
  }
  const { failure } = delivery
  // nodemailer checks the size against the server's announced limit before it sends anything.
  if (failure.code === 'EMESSAGE' && failure.replyCode === null && !failure.isBodySent)
    return tooLarge(failure.response)
  return mapFailure(failure)
}

/** 552 in reply to MAIL concerns the announced size, not the sender. */
function isSenderRefused(delivery: Delivery): delivery is Extract<Delivery, { isAccepted: false }> {
  if (delivery.isAccepted) return false
  const { command, replyCode } = delivery.failure
  return command === 'MAIL FROM' && replyCode !== null && replyCode >= 500 && replyCode !== 552
}

function tooLarge(response: string): Outcome {
  return { kind: 'rejected', reason: 'message_too_large', response: joinLines(response), isRecipientFault: false }
}

function wasStale(delivery: Delivery): boolean {
  if (delivery.isAccepted || delivery.failure.isBodySent) return false
  const { code, replyCode, response } = delivery.failure
  // Receivers also throttle with 421 and x.7.x; those are not retried on a new connection.
  if (replyCode === 421) return !/\b4\.7\.\d/.test(response)
  return replyCode === null && (code === 'ECONNECTION' || code === 'ESOCKET')
}

/** After a plain refusal the session can be reset and reused; otherwise its state is uncertain. */
function settle(connections: SmtpConnections, lease: Lease, delivery: Delivery) {
  if (delivery.isAccepted) return connections.release(lease, true)
  const { code, isBodySent, replyCode } = delivery.failure
  const isRefusal = replyCode !== null && replyCode >= 400 && replyCode !== 421 && replyCode !== 503
  const isInStep = code === 'EENVELOPE' || (code === 'EMESSAGE' && isBodySent)
  if (!isRefusal || !isInStep || lease.connection.destroyed) return connections.release(lease, false)
  reset(lease.connection, (isHealthy) => connections.release(lease, isHealthy))
}

function reset(connection: SMTPConnection, then: (isHealthy: boolean) => void) {
  let isSettled = false
  const settleOnce = (isHealthy: boolean) => {
    if (isSettled) return
    isSettled = true
    clearTimeout(timer)
    connection.off('end', onEnd)
    then(isHealthy)
  }
  const onEnd = () => settleOnce(false)
  const timer = setTimeout(() => settleOnce(false), 5_000)
  connection.once('end', onEnd)
  connection.reset((error) => settleOnce(!error))
}

/**
 * Watches the replies to pipelined MAIL, RCPT and DATA (RFC 2920) and calls `stop` before nodemailer acts on the last
 * one, in two cases. First, the server accepts DATA after it refused the recipient: nodemailer would send a lone dot,
 * as the RFC requires, and a faulty server might deliver an empty mail. Second, it replies to DATA with 2xx: then
 * replies and commands are out of step.
 */
function watchEnvelope(stop: (error: RawError) => void): SmtpListener {
  let isPipelined = false
  let answers = 0
  let refusal: RawError | null = null
  return (side, text) => {
    if (side === 'client') {
      isPipelined ||= answers === 0 && text === 'DATA'
      return
    }
    answers += 1
    const isYes = text.startsWith('2')
    if (answers < 3 && !isYes) refusal ??= buildRefusal(answers === 1 ? 'MAIL FROM' : 'RCPT TO', text)
    if (answers !== 3 || !isPipelined) return
    if (isYes) stop(buildRawError('EPROTOCOL', `The server answered DATA with "${text}" instead of 354.`))
    else if (refusal && text.startsWith('3')) stop(refusal)
  }
}

function buildRefusal(command: string, response: string): RawError {
  const responseCode = Number.parseInt(response, 10)
  return Object.assign(buildRawError('EENVELOPE', response), {
    command,
    response,
    ...(responseCode && { responseCode }),
  })
}
