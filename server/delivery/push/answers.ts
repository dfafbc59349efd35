import type { PushPayload } from '../../../shared/push.ts'
import type { FetchProblem } from '../../core/net/fetch-problem.ts'
import type { PushAnswer } from '../../messages/channels/channel.ts'

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
  // A service may have accepted the message before it failed (engine, "Sending").
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
const MOST_BYTES = 3_000
/** A size that every service accepts. */
const FEWEST_BYTES = 1_000

/** Returns the payload and smaller versions of it: without image, without icon, with shorter text. */
export function smallerPayloads({ image, icon, ...bare }: PushPayload): PushPayload[] {
  const withIcon = icon === undefined ? bare : { ...bare, icon }
  const whole = image === undefined ? withIcon : { ...withIcon, image }
  const tries = [whole, withIcon, bare].filter((each) => sizeOf(each) < MOST_BYTES)
  return [
    ...new Map(
      [...tries, shortened(bare, MOST_BYTES), shortened(bare, FEWEST_BYTES)].map((each) => [
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

function shortened(payload: PushPayload, most: number): PushPayload {
  const signs = [...payload.body]
  let [low, high] = [0, signs.length]
  const cut = (count: number): PushPayload =>
    count === signs.length ? payload : { ...payload, body: `${signs.slice(0, count).join('')}…` }
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (sizeOf(cut(middle)) < most) low = middle
    else high = middle - 1
  }
  return cut(low)
}

const sizeOf = (payload: PushPayload): number => Buffer.byteLength(JSON.stringify(payload))
