import { FetchProblem } from '../../server/core/net/fetch-problem.ts'
import {
  type ServiceAnswer,
  sendShrinking,
  toPushOutcome,
  toSilentOutcome,
} from '../../server/delivery/push/answers.ts'
import type { OutgoingPush, PushAnswer } from '../../server/messages/channels/channel.ts'
import type { ProcessState } from './actors.ts'
import type { SentMessage } from './post.ts'
import type { Answer } from './steps.ts'

// The push service of a history, and what its browsers have there. What an answer means is the engine's; what is answered is RFC 8030's.

/** A subscription, as browser and service know it. */
export interface Endpoint {
  url: string
  browser: number
  /** The key it was made with. */
  publicKey: string
  /** What the service says of it; 201 while it is alive. */
  status: 201 | 404 | 410
  /** What Recoup calls it: null before it has answered. */
  id: string | null
  /** The shopper has taken the permission back. */
  isRevoked: boolean
  /** When its key had leaked, in true time. */
  leakedAt: number | null
}

/** One notification that was put in flight. */
export interface PushAttempt {
  messageId: string
  mail: SentMessage
  /** True time. */
  at: number
  endpoint: Endpoint | undefined
  url: string
  /** The browser has it. */
  isShown: boolean
  token: string | undefined
  topic: string
  publicKey: string
  /** Bytes of each payload that was tried. */
  sizes: number[]
  /** The browsers it was for when it left, the newest first. */
  alive: string[]
  answer: SentMessage['answer']
  /** When the process that sent it had the answer, in true time; null: it has none. */
  answeredAt: number | null
  /** Of that process: what it had learned may have ended with it. */
  by: ProcessState
  /** When the service said it may be tried again, by the engine's clock; null: it said nothing. */
  notBefore: number | null
}

/** What a browser has: as the widget's memory and the browser itself keep it. */
export interface BrowserSubscription {
  endpoint: Endpoint
  token: string
  /** Which the server has heard of with it; null: none that it knew. */
  cart: string | null
}

export interface PushService {
  mostBytes: number
  endpoints: Map<string, Endpoint>
  /** By browser. */
  kept: Map<number, BrowserSubscription>
  notes: PushAttempt[]
  /** Addresses that are no push service and were taken for one. */
  forged: string[]
  count: number
}

export const openPushService = (mostBytes: number): PushService => ({
  ...{ mostBytes, endpoints: new Map(), kept: new Map(), notes: [], forged: [], count: 0 },
})

export function createEndpoint(world: PushService, browser: number, publicKey: string): Endpoint {
  const url = `https://updates.push.services.mozilla.com/wpush/v2/${++world.count}`
  const endpoint = { url, browser, publicKey, status: 201 as const, id: null, isRevoked: false, leakedAt: null }
  world.endpoints.set(url, endpoint)
  return endpoint
}

/** As a browser gives it; of right form, and read by nobody here. */
export const buildSubscription = ({ url }: { url: string }) => ({
  endpoint: url,
  keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) },
})

const RETRY_AFTER_S = 600

/** What the service does with it; `wanted` counts where nothing of its own stands against it. */
export function chooseAnswer(world: PushService, note: PushAttempt, wanted: Answer): PushAttempt['answer'] {
  const { endpoint } = note
  if (endpoint?.status !== 201) return 'gone'
  if (endpoint.publicKey !== note.publicKey) return 'unauthorized'
  if (wanted === 'bounces') {
    endpoint.status = world.notes.length % 2 === 0 ? 404 : 410
    return 'gone'
  }
  return wanted === 'opted out' ? 'unauthorized' : wanted
}

/** The engine's reading of what the service said; payloads are tried as the channel tries them. */
export async function answerPush(
  world: PushService,
  note: PushAttempt,
  message: OutgoingPush,
  engineAt: number,
): Promise<PushAnswer> {
  // No smaller one may be tried on a decision that has become too old: nothing has left, and it is decided anew.
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
      note.notBefore = engineAt + RETRY_AFTER_S * 1_000
      return say(429, String(RETRY_AFTER_S))
    case 'silent, took it':
      return isOdd ? say(503) : 'silence'
    case 'silent, lost it':
      return 'silence'
    default:
      return say(400)
  }
}
