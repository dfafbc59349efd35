import { Readable } from 'node:stream'
import { Agent } from 'undici'
import webPush from 'web-push'
import type { PushPayload } from '../../../shared/delivery/push.ts'
import type { Config } from '../../core/config/public.ts'
import { classifyFetchFailure, type FetchProblem, guardedConnector } from '../../core/net/public.ts'
import { joinLines, type OutgoingPush, type PushAnswer, type PushChannel } from '../../messages/channels/public.ts'
import { findService, isLoopbackHost } from './services.ts'

// Sends a notification to a browser's push service (RFC 8030, 8291, 8292). `web-push` encrypts and signs. The request
// is made here because the endpoint is untrusted: we connect to the address that was checked and follow no redirect
// (X4).

/** The push service drops a reminder after a day. */
const TTL_S = 86_400
const CONNECT_MS = 10_000
const ANSWER_MS = 30_000
const LONGEST_ANSWER = 10_000

type PushConfig = Pick<Config, 'pushServices' | 'isLocal' | 'supportEmail'>

export interface PushOptions {
  config: PushConfig
  poolSize?: number
  /** Time limit from the end of the request to the response. */
  answerMs?: number
  /** Name resolution; tests replace it. */
  lookup?: Parameters<typeof guardedConnector>[0]['lookup']
}

export function openPushChannel({ config, poolSize = 20, answerMs = ANSWER_MS, lookup }: PushOptions): PushChannel {
  const open = (allowPrivate: boolean) =>
    new Agent({
      connect: guardedConnector({ allowPrivate, connectTimeoutMs: CONNECT_MS, ...(lookup && { lookup }) }),
      connections: poolSize,
      pipelining: 1,
      headersTimeout: answerMs,
      bodyTimeout: answerMs,
    })
  const agents = { away: open(false), here: config.isLocal ? open(true) : null }
  return {
    poolSize,
    async send(message) {
      const { endpoint } = message.subscription
      // Checked again: the allowed services may have changed since the browser subscribed.
      if (!findService(endpoint, config)) return { kind: 'gone', response: 'This push service is not supported' }
      const agent = isLoopbackHost(new URL(endpoint).hostname) ? agents.here : agents.away
      const route = { agent: agent ?? agents.away, config, answerMs }
      return sendShrinking(message, (payload) => ask(route, { ...message, payload }))
    },
    async close() {
      await Promise.all([agents.away.close(), agents.here?.close()])
    },
  }
}

interface Route {
  agent: Agent
  config: PushConfig
  answerMs: number
}

async function ask({ agent, config, answerMs }: Route, message: OutgoingPush): Promise<PushAnswer | 'too_large'> {
  const sealed = seal(config, message)
  // Invalid keys: this subscription can never receive anything.
  if (!sealed) return { kind: 'gone', response: 'The subscription’s keys are not valid' }
  const sent = { isBody: false }
  try {
    const { origin, pathname, search } = new URL(message.subscription.endpoint)
    const reply = await agent.request({
      origin,
      path: pathname + search,
      method: 'POST' as const,
      headers: sealed.headers,
      body: Readable.from(streamBody(sealed.body, sent), { objectMode: false }),
    })
    const { statusCode: status, headers } = reply
    const answer: ServiceAnswer = {
      status,
      retryAfter: getFirst(headers['retry-after']),
      location: getFirst(headers.location),
      // The status counts even if the body cannot be read.
      text: joinLines(await readBounded(reply.body, answerMs)),
    }
    return toPushOutcome(answer, message.messageId)
  } catch (error) {
    return toSilentOutcome(classifyFetchFailure(error), sent.isBody)
  }
}

const getFirst = (header: string | string[] | undefined): string | null =>
  (Array.isArray(header) ? header[0] : header) ?? null

/**
 * Read only after the connection is open and the headers are sent; before that the service cannot have accepted
 * anything.
 */
async function* streamBody(body: Buffer, sent: { isBody: boolean }) {
  sent.isBody = true
  yield body
}

function seal({ supportEmail }: PushConfig, { subscription, payload, topic, vapid }: OutgoingPush) {
  try {
    const { headers, body } = webPush.generateRequestDetails(subscription, serialize(payload), {
      TTL: TTL_S,
      urgency: 'normal',
      topic,
      contentEncoding: 'aes128gcm',
      vapidDetails: { subject: `mailto:${supportEmail}`, ...vapid },
    })
    const named = Object.entries(headers as object).map(([name, value]) => [name.toLowerCase(), String(value)])
    return { headers: Object.fromEntries(named) as Record<string, string>, body: body! }
  } catch {
    return null
  }
}

const serialize = (payload: PushPayload) => JSON.stringify(payload)

/** Reads up to the limits of size and time. Never throws. */
async function readBounded(body: Readable, withinMs: number): Promise<string> {
  const parts: Buffer[] = []
  const timer = setTimeout(() => body.destroy(), withinMs)
  try {
    let length = 0
    for await (const part of body as AsyncIterable<Buffer>) {
      parts.push(part)
      length += part.length
      if (length > LONGEST_ANSWER) break
    }
  } catch {
    // Aborted by the service or by the timer.
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(parts).subarray(0, LONGEST_ANSWER).toString('utf8')
}

// Maps a push service's response to an outcome (P1; RFC 8030, 7.2 and 8; RFC 8292, 4.2), and shrinks payloads. Pure.

export interface ServiceAnswer {
  status: number
  /** The raw header. */
  retryAfter: string | null
  location: string | null
  /** One bounded line. */
  text: string
}

/** One day; a later notification would be useless. */
const LONGEST_WAIT_MS = 86_400_000

export function toPushOutcome(answer: ServiceAnswer, messageId: string, now = Date.now()): PushAnswer | 'too_large' {
  const { status } = answer
  const response = `${status} ${answer.text}`.trim()
  if (status >= 200 && status < 300) return { kind: 'accepted', providerId: answer.location ?? messageId, response }
  if (status === 404 || status === 410) return { kind: 'gone', response }
  if (status === 413) return 'too_large'
  if (status === 401 || status === 403) return { kind: 'unauthorized', response }
  if (status === 429) {
    const retryAfterMs = parseRetryAfter(answer.retryAfter, now)
    return { kind: 'retry', reason: 'push_429', response, ...(retryAfterMs !== null && { retryAfterMs }) }
  }
  // A service may have accepted the message before it failed (engine, "Message states").
  if (status >= 500) return { kind: 'unknown', reason: `push_${status}`, response }
  return { kind: 'rejected', reason: `push_${status}`, response, isRecipientFault: false }
}

/** Parses Retry-After: seconds or a date (RFC 9110, 10.2.3). */
function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.min(LONGEST_WAIT_MS, Math.max(1_000, ms)) : null
}

/** The outcome without a response. Only an unsent body proves non-acceptance (D4). */
export function toSilentOutcome({ kind, detail }: FetchProblem, isBodySent: boolean): PushAnswer {
  const response = detail ?? (kind === 'timeout' ? 'The push service did not answer in time' : kind)
  if (isBodySent) return { kind: 'unknown', reason: `${kind}_after_body`, response }
  if (kind === 'private_address')
    return { kind: 'rejected', reason: 'push_private_address', response, isRecipientFault: false }
  return { kind: 'retry', reason: kind, response }
}

/** Maximum before encryption; services accept 4 KB after it (RFC 8030, 7.2). */
const MAX_BYTES = 3_000
/** A size that every service accepts. */
const SAFE_BYTES = 1_000

/** Returns the payload and smaller versions of it: without image, without icon, with shorter text. */
export function smallerPayloads({ image, icon, ...bare }: PushPayload): PushPayload[] {
  const withIcon = icon === undefined ? bare : { ...bare, icon }
  const whole = image === undefined ? withIcon : { ...withIcon, image }
  const tries = [whole, withIcon, bare].filter((each) => measurePayload(each) < MAX_BYTES)
  return [
    ...new Map(
      [...tries, shortenBody(bare, MAX_BYTES), shortenBody(bare, SAFE_BYTES)].map((each) => [
        JSON.stringify(each),
        each,
      ]),
    ).values(),
  ]
}

/**
 * Sends the payload, and after each 413 a smaller version (P1); a 413 proves non-acceptance. If `mayGoOn` turns false,
 * the message is decided again.
 */
export async function sendShrinking(
  message: { payload: PushPayload; mayGoOn: () => boolean },
  ask: (payload: PushPayload) => Promise<PushAnswer | 'too_large'>,
): Promise<PushAnswer> {
  const response = '413 Payload Too Large'
  for (const [index, payload] of smallerPayloads(message.payload).entries()) {
    if (index > 0 && !message.mayGoOn()) return { kind: 'retry', reason: 'push_413', response }
    const answer = await ask(payload)
    if (answer !== 'too_large') return answer
  }
  return { kind: 'rejected', reason: 'push_413', response, isRecipientFault: false }
}

function shortenBody(payload: PushPayload, max: number): PushPayload {
  const signs = [...payload.body]
  let [low, high] = [0, signs.length]
  const cut = (count: number): PushPayload =>
    count === signs.length ? payload : { ...payload, body: `${signs.slice(0, count).join('')}…` }
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (measurePayload(cut(middle)) < max) low = middle
    else high = middle - 1
  }
  return cut(low)
}

const measurePayload = (payload: PushPayload): number => Buffer.byteLength(JSON.stringify(payload))
