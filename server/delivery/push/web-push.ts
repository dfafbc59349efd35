import { Readable } from 'node:stream'
import { Agent } from 'undici'
import webPush from 'web-push'
import type { PushPayload } from '../../../shared/push.ts'
import { oneLine } from '../../messages/channels/bounce-rules.ts'
import type { OutgoingPush, PushAnswer, PushChannel } from '../../messages/channels/channel.ts'
import type { Config } from '../../core/config/config.ts'
import { nameFetchFailure } from '../../core/net/fetch-problem.ts'
import { guardedConnector } from '../../core/net/guarded-fetch.ts'
import { answerOf, type ServiceAnswer, sendShrinking, silenceOf } from './answers.ts'
import { isLoopbackHost, serviceOf } from './services.ts'

// The way of a notification to a browser's push service (RFC 8030, 8291, 8292). `web-push` encrypts and signs; the request is made here: the
// endpoint is what a stranger's browser said, so the address that was checked is the one that is dialled, and no redirect is followed (X4).

/** A reminder that has not reached its browser in a day is none any more. */
const TTL_S = 86_400
const CONNECT_MS = 10_000
const ANSWER_MS = 30_000
const LONGEST_ANSWER = 10_000

type PushConfig = Pick<Config, 'pushServices' | 'isLocal' | 'supportEmail'>

export interface PushOptions {
  config: PushConfig
  poolSize?: number
  /** From the end of the request to the answer. */
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
      // Asked again: what is a push service may have changed since the browser subscribed.
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
  // What it says of itself is no key: nothing can be written to it, now or later.
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
      // What was answered is answered, whatever becomes of its words.
      text: oneLine(await readBounded(reply.body, answerMs)),
    }
    return answerOf(answer, message.messageId)
  } catch (error) {
    return silenceOf(nameFetchFailure(error), sent.isBody)
  }
}

const one = (header: string | string[] | undefined): string | null =>
  (Array.isArray(header) ? header[0] : header) ?? null

/** Asked for only when there is a connection and the headers are written: before that nothing can have been accepted. */
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

/** As much of it as came within both bounds. Never throws. */
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
    // Broken off, by the service or by us.
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(parts).subarray(0, LONGEST_ANSWER).toString('utf8')
}
