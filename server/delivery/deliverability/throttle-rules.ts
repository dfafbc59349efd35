import { bounceKind, statusIn } from '../../messages/channels/bounce-rules.ts'
import type { Outcome } from '../../messages/channels/channel.ts'

// When a receiving domain has had enough of an account's mail, and how long it is left alone. Pure.

/**
 * What an answer says of the whole domain:
 * - `open`: it takes mail, though perhaps not for this address.
 * - `deferred`: not now, for reasons of its own · `throttled`: not so much, not so fast · `blocked`: refused for who sends it.
 */
export type DomainAnswer = 'open' | 'deferred' | 'throttled' | 'blocked'

export interface DomainThrottleState {
  kind: 'deferred' | 'blocked'
  weight: number
  pauses: number
  since: Date
  pausedUntil: Date | null
  updatedAt: Date
}

/** One throttling, two blocks or three deferrals in a row are enough. */
const WEIGHTS = { deferred: 1, blocked: 2, throttled: 3 } as const
const ENOUGH = 3
/** Answers further apart have nothing to do with each other. */
const FORGOTTEN_MS = 3_600_000
const FIRST_PAUSE_MS = 5 * 60_000
const LONGEST_PAUSE_MS = 4 * 3_600_000

/** After this long it is no passing trouble, and the owner is told. */
const LASTING_MS = 2 * 3_600_000

const GREYLISTED = /gr[ae]y ?-?list/i
const THROTTLED =
  /rate|throttl|too (many|much|fast)|limit|unusual|suspicious|reputation|unsolicited|spam|block|poor|temporarily (deferred|rejected)|policy/i
const BLOCKED = /block|spam|reputation|black ?list|unsolicited|banned|policy|poor|bulk/i
/** Our own mail server's, about us. */
const OF_THE_RELAY =
  /relay|not (allowed|permitted|authorized) to send|authenticat|sender (address )?(rejected|denied|not)/i

/** null: it says nothing of the domain. */
export function domainAnswer(outcome: Outcome): DomainAnswer | null {
  if (outcome.kind === 'accepted') return 'open'
  if (outcome.kind === 'unknown' || OF_THE_RELAY.test(outcome.response)) return null
  if (outcome.kind === 'rejected') return outcome.isRecipientFault ? 'open' : ofRefusal(outcome.response)
  return outcome.isOfMessage ? ofDeferral(outcome.reason, outcome.response) : null
}

/** The same of what came back later (RFC 3464), by its status code and words. */
export function domainAnswerOfReport(kind: string, status: string | null, words: string): DomainAnswer | null {
  if (kind === 'delivered' || kind === 'hard') return 'open'
  const said = `${status ?? ''} ${words}`
  if (OF_THE_RELAY.test(words)) return null
  if (kind === 'refused') return ofRefusal(said)
  return kind === 'soft' ? ofDeferral('', said) : null
}

function ofRefusal(response: string): DomainAnswer | null {
  const status = statusIn(response)
  if (bounceKind(status, response) !== 'refused') return null
  return status?.startsWith('5.7.') || BLOCKED.test(response) ? 'blocked' : null
}

/** Greylisting and a full mailbox are about one message alone. */
function ofDeferral(reason: string, response: string): DomainAnswer | null {
  const status = statusIn(response) ?? ''
  if (GREYLISTED.test(response) || /^[45]\.[12]\./.test(status) || /mailbox|quota|recipient/i.test(response))
    return null
  return reason === 'smtp_421' || status.startsWith('4.7.') || THROTTLED.test(response) ? 'throttled' : 'deferred'
}

/** The state after one more answer that was no. Answers of what left before the pause began do not lengthen it. */
export function afterNo(
  state: DomainThrottleState | null,
  answer: Exclude<DomainAnswer, 'open'>,
  { now, isProbe, jitter = Math.random() }: { now: Date; isProbe: boolean; jitter?: number },
): DomainThrottleState {
  const isOver = state !== null && state.pauses === 0 && now.getTime() - state.updatedAt.getTime() > FORGOTTEN_MS
  const before = state === null || isOver ? null : state
  const kind = answer === 'blocked' ? 'blocked' : (before?.kind ?? 'deferred')
  const weight = (before?.weight ?? 0) + WEIGHTS[answer]
  const base = { kind, weight, since: before?.since ?? now, updatedAt: now } as const
  const isWaiting = before !== null && before.pauses > 0 && !isProbe
  if (isWaiting || (weight < ENOUGH && !isProbe)) {
    return { ...base, pauses: before?.pauses ?? 0, pausedUntil: before?.pausedUntil ?? null }
  }
  const pauses = (before?.pauses ?? 0) + 1
  return { ...base, pauses, pausedUntil: new Date(now.getTime() + pauseMs(pauses, jitter)) }
}

/** How often those that wait ask whether the one that tries was answered. */
const PROBE_LOOK_MS = 60_000

/** Until when messages to a domain wait: the pause, or the answer to the one that tries. null: one may leave. */
export function heldUntil(
  { paused_until: pausedUntil, probe_until: probeUntil }: { paused_until: Date | null; probe_until: Date | null },
  now: Date,
): Date | null {
  if (pausedUntil && pausedUntil > now) return pausedUntil
  return probeUntil && probeUntil > now ? new Date(now.getTime() + PROBE_LOOK_MS) : null
}

/** 5, 10, 20 … minutes, 4 hours at most, a fifth more or less, so that accounts do not all knock at once. */
export function pauseMs(pauses: number, jitter: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(pauses - 1, 10), LONGEST_PAUSE_MS)
  return Math.round(pause * (0.8 + 0.4 * jitter))
}

export const isLasting = ({ since }: Pick<DomainThrottleState, 'since'>, now: Date): boolean =>
  now.getTime() - since.getTime() >= LASTING_MS
