import { FetchProblem } from '../../server/core/net/fetch-problem.ts'
import {
  type ServiceAnswer,
  sendShrinking,
  toPushOutcome,
  toSilentOutcome,
} from '../../server/delivery/push/web-push.ts'
import type { OutgoingPush, PushAnswer } from '../../server/messages/channels/channel.ts'
import type { ProcessState } from './actors.ts'
import type { SentMessage } from './providers.ts'
import type { Answer } from './steps.ts'

// The push service, and its subscriptions in browsers. Replies follow RFC 8030; the engine interprets them.

/** A subscription of a browser. */
export interface Endpoint {
  url: string
  browser: number
  /** The key it was created with. */
  publicKey: string
  /** The service's status for it; 201 while it is active. */
  status: 201 | 404 | 410
  /** The server's id; null until the server has replied. */
  id: string | null
  /** The shopper has revoked the permission. */
  isRevoked: boolean
  /** True time at which its key leaked. */
  leakedAt: number | null
}

/** One attempt to send a notification. */
export interface PushAttempt {
  messageId: string
  mail: SentMessage
  /** True time. */
  at: number
  endpoint: Endpoint | undefined
  url: string
  /** The browser received it. */
  isDisplayed: boolean
  token: string | undefined
  topic: string
  publicKey: string
  /** Size in bytes of each payload tried. */
  sizes: number[]
  /** Subscriptions that could receive it at the send, newest first. */
  alive: string[]
  answer: SentMessage['answer']
  /** True time at which the sending process got the reply; null: it got none. */
  answeredAt: number | null
  /** The sending process; its knowledge may have been lost with it. */
  by: ProcessState
  /** Earliest retry that the service named, on the engine's clock; null: none. */
  retryAt: number | null
}

/** The subscription that browser and widget remember. */
export interface BrowserSubscription {
  endpoint: Endpoint
  token: string
  /** The cart that the server knows with it; null: none. */
  cart: string | null
}

export interface PushService {
  mostBytes: number
  endpoints: Map<string, Endpoint>
  /** By browser. */
  subscriptions: Map<number, BrowserSubscription>
  notes: PushAttempt[]
  /** URLs outside the push services and were accepted. */
  forged: string[]
  count: number
}

export const openPushService = (mostBytes: number): PushService => ({
  mostBytes,
  endpoints: new Map(),
  subscriptions: new Map(),
  notes: [],
  forged: [],
  count: 0,
})

export function createEndpoint(world: PushService, browser: number, publicKey: string): Endpoint {
  const url = `https://updates.push.services.mozilla.com/wpush/v2/${++world.count}`
  const endpoint = { url, browser, publicKey, status: 201 as const, id: null, isRevoked: false, leakedAt: null }
  world.endpoints.set(url, endpoint)
  return endpoint
}

/** The subscription object of a browser; the keys are valid, but no one decrypts. */
export const buildSubscription = ({ url }: { url: string }) => ({
  endpoint: url,
  keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) },
})

const RETRY_AFTER_S = 600

/** Chooses the service's reply; `wanted` applies unless the subscription's state decides. */
export function chooseAnswer(world: PushService, note: PushAttempt, requested: Answer): PushAttempt['answer'] {
  const { endpoint } = note
  if (endpoint?.status !== 201) return 'gone'
  if (endpoint.publicKey !== note.publicKey) return 'unauthorized'
  if (requested === 'bounces') {
    endpoint.status = world.notes.length % 2 === 0 ? 404 : 410
    return 'gone'
  }
  return requested === 'opted out' ? 'unauthorized' : requested
}

/** Returns the engine's reading of the reply; smaller payloads are tried as by the real channel. */
export async function answerPush(
  world: PushService,
  note: PushAttempt,
  message: OutgoingPush,
  engineAt: number,
): Promise<PushAnswer> {
  // A smaller payload must not be tried on an outdated decision: nothing was sent, and it is decided again.
  const mayGoOn = () => {
    const may = message.mayGoOn()
    if (!may) note.answer = note.mail.answer = 'retry'
    return may
  }
  return sendShrinking({ ...message, mayGoOn }, async (payload) => {
    const bytes = Buffer.byteLength(JSON.stringify(payload))
    note.sizes.push(bytes)
    const served = serve(world, note, bytes, engineAt)
    return served === 'silence'
      ? toSilentOutcome(new FetchProblem('timeout'), true)
      : toPushOutcome(served, message.messageId)
  })
}

function serve(world: PushService, note: PushAttempt, bytes: number, engineAt: number): ServiceAnswer | 'silence' {
  const say = (status: number, retryAfter: string | null = null) => ({ status, retryAfter, location: null, text: '' })
  const isOdd = world.notes.length % 2 === 1
  if (note.answer === 'gone') return say(note.endpoint && note.endpoint.status !== 201 ? note.endpoint.status : 404)
  if (note.answer === 'unauthorized') return say(isOdd ? 401 : 403)
  if (bytes > world.mostBytes) return say(413)
  switch (note.answer) {
    case 'accepts':
    case 'takes it, sender dies':
    case 'sender dies first':
      return say(201)
    case 'retry':
      if (isOdd) return say(429)
      note.retryAt = engineAt + RETRY_AFTER_S * 1_000
      return say(429, String(RETRY_AFTER_S))
    case 'silent, took it':
      return isOdd ? say(503) : 'silence'
    case 'silent, lost it':
      return 'silence'
    default:
      return say(400)
  }
}
