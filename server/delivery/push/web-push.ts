import { Readable } from 'node:stream'
import { Agent } from 'undici'
import webPush from 'web-push'
import type { PushPayload } from '../../../shared/push.ts'
import type { Config } from '../../core/config/config.ts'
import { classifyFetchFailure } from '../../core/net/fetch-problem.ts'
import { guardedConnector } from '../../core/net/guarded-fetch.ts'
import { oneLine } from '../../messages/channels/bounce-rules.ts'
import type { OutgoingPush, PushAnswer, PushChannel } from '../../messages/channels/channel.ts'
import { type ServiceAnswer, sendShrinking, toPushOutcome, toSilentOutcome } from './answers.ts'
import { isLoopbackHost, serviceOf } from './services.ts'

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
      ...{ connections: poolSize, pipelining: 1, headersTimeout: answerMs, bodyTimeout: answerMs },
    })
  const agents = { away: open(false), here: config.isLocal ? open(true) : null }
  return {
    poolSize,
    async send(message) {
      const { endpoint } = message.subscription
      // Checked again: the allowed services may have changed since the browser subscribed.
      if (!serviceOf(endpoint, config)) return { kind: 'gone', response: 'Not a push service that is written to' }
      const agent = isLoopbackHost(new URL(endpoint).hostname) ? agents.here : agents.away
      const way = { agent: agent ?? agents.away, config, answerMs }
      return sendShrinking(message, (payload) => ask(way, { ...message, payload }))
    },
    async close() {
      await Promise.all([agents.away.close(), agents.here?.close()])
    },
  }
}

interface Way {
  agent: Agent
  config: PushConfig
  answerMs: number
}

async function ask({ agent, config, answerMs }: Way, message: OutgoingPush): Promise<PushAnswer | 'too_large'> {
  const sealed = seal(config, message)
  // Invalid keys: this subscription can never receive anything.
  if (!sealed) return { kind: 'gone', response: 'The subscription’s keys are not valid' }
  const sent = { isBody: false }
  try {
    const { origin, pathname, search } = new URL(message.subscription.endpoint)
    const reply = await agent.request({
      ...{ origin, path: pathname + search, method: 'POST' as const, headers: sealed.headers },
      body: Readable.from(streamBody(sealed.body, sent), { objectMode: false }),
    })
    const { statusCode: status, headers } = reply
    const answer: ServiceAnswer = {
      ...{ status, retryAfter: one(headers['retry-after']), location: one(headers.location) },
      // The status counts even if the body cannot be read.
      text: oneLine(await readBounded(reply.body, answerMs)),
    }
    return toPushOutcome(answer, message.messageId)
  } catch (error) {
    return toSilentOutcome(classifyFetchFailure(error), sent.isBody)
  }
}

const one = (header: string | string[] | undefined): string | null =>
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
      ...{ TTL: TTL_S, urgency: 'normal', topic, contentEncoding: 'aes128gcm' },
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
