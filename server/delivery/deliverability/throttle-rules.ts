import { classifyBounce, type Outcome, parseStatus } from '../../messages/channels/public.ts'

// Decides when a receiving domain is throttled for an account's mail, and for how long. Pure.

/**
 * The verdict of a reply on the whole domain:
 * - `open`: it accepts mail, though perhaps not for this address.
 * - `deferred`: a temporary failure · `throttled`: too many or too fast · `blocked`: refused because of the sender.
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

/** One throttling, two blocks or three deferrals in a row start a pause. */
const WEIGHTS = { deferred: 1, blocked: 2, throttled: 3 } as const
const ENOUGH = 3
/** Replies further apart are unrelated. */
const FORGOTTEN_MS = 3_600_000
const FIRST_PAUSE_MS = 5 * 60_000
const LONGEST_PAUSE_MS = 4 * 3_600_000

/** After this time the owner is notified. */
const LASTING_MS = 2 * 3_600_000

const GREYLISTED = /gr[ae]y ?-?list/i
const THROTTLED =
  /rate|throttl|too (many|much|fast)|limit|unusual|suspicious|reputation|unsolicited|spam|block|poor|temporarily (deferred|rejected)|policy/i
const BLOCKED = /block|spam|reputation|black ?list|unsolicited|banned|policy|poor|bulk/i
/** Codes of our own mail server about us, not of the receiving domain. */
const RELAY_RESPONSE =
  /relay|not (allowed|permitted|authorized) to send|authenticat|sender (address )?(rejected|denied|not)/i

/** null: the reply concerns only the address. */
export function classifyReply(outcome: Outcome): DomainAnswer | null {
  if (outcome.kind === 'accepted') return 'open'
  if (outcome.kind === 'unknown' || RELAY_RESPONSE.test(outcome.response)) return null
  if (outcome.kind === 'rejected') return outcome.isRecipientFault ? 'open' : classifyRefusal(outcome.response)
  return outcome.isOfMessage ? classifyDeferral(outcome.reason, outcome.response) : null
}

/** The same for a later delivery report (RFC 3464), by status code and text. */
export function classifyReport(kind: string, status: string | null, text: string): DomainAnswer | null {
  if (kind === 'delivered' || kind === 'hard') return 'open'
  const answer = `${status ?? ''} ${text}`
  if (RELAY_RESPONSE.test(text)) return null
  if (kind === 'refused') return classifyRefusal(answer)
  return kind === 'soft' ? classifyDeferral('', answer) : null
}

function classifyRefusal(response: string): DomainAnswer | null {
  const status = parseStatus(response)
  if (classifyBounce(status, response) !== 'refused') return null
  return status?.startsWith('5.7.') || BLOCKED.test(response) ? 'blocked' : null
}

/** Greylisting and a full mailbox concern one message only. */
function classifyDeferral(reason: string, response: string): DomainAnswer | null {
  const status = parseStatus(response) ?? ''
  if (GREYLISTED.test(response) || /^[45]\.[12]\./.test(status) || /mailbox|quota|recipient/i.test(response))
    return null
  return reason === 'smtp_421' || status.startsWith('4.7.') || THROTTLED.test(response) ? 'throttled' : 'deferred'
}

/** The state after another refusal. Replies to mails sent before the pause began do not extend it. */
export function updateAfterRefusal(
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

/** How often held messages check whether the probe was answered. */
const PROBE_CHECK_MS = 60_000

/** How long messages to a domain wait: until the end of the pause or the reply to the probe. null: one may be sent. */
export function findPauseEnd(
  { paused_until: pausedUntil, probe_until: probeUntil }: { paused_until: Date | null; probe_until: Date | null },
  now: Date,
): Date | null {
  if (pausedUntil && pausedUntil > now) return pausedUntil
  return probeUntil && probeUntil > now ? new Date(now.getTime() + PROBE_CHECK_MS) : null
}

/** 5, 10, 20 … minutes, at most 4 hours, with ±20% jitter so that accounts do not retry together. */
export function pauseMs(pauses: number, jitter: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(pauses - 1, 10), LONGEST_PAUSE_MS)
  return Math.round(pause * (0.8 + 0.4 * jitter))
}

export const isLasting = ({ since }: Pick<DomainThrottleState, 'since'>, now: Date): boolean =>
  now.getTime() - since.getTime() >= LASTING_MS
