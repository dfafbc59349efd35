import type { MessageState } from '../../core/schema/public.ts'
import type { Outcome } from '../channels/public.ts'

// The state of a message (docs/rules/engine.md, "Message states") outside SQL. Pure. SQL uses fragments.ts.

/** The state after a decision against sending. */
export const stateAfterDecision = { hold: 'held', skip: 'skipped', cancel: 'cancelled' } as const

/** The state after a provider's answer. */
export const stateAfterAnswer = {
  accepted: 'sent',
  rejected: 'failed',
  unknown: 'unknown',
  retry: 'held',
} as const satisfies Record<Outcome['kind'], MessageState>

/** Progress for a waiting user: `pending` may still change within seconds. */
export type Progress = 'pending' | 'waiting' | 'accepted' | 'refused'

const progress: Readonly<Record<string, Progress>> = {
  scheduled: 'pending',
  claimed: 'pending',
  sending: 'pending',
  held: 'waiting',
  unknown: 'waiting',
  sent: 'accepted',
  delivered: 'accepted',
  failed: 'refused',
  skipped: 'refused',
  cancelled: 'refused',
}

export const findProgress = (state: string): Progress => progress[state] ?? 'pending'

export const isSending = (state: string): boolean => state === 'sending'
/** Neither sent nor final: still to be decided. */
export const isOpenState = (state: string): boolean => state === 'scheduled' || state === 'claimed' || state === 'held'
export const isCancelled = (state: string): boolean => state === 'cancelled'
export const isFailedState = (state: string): boolean => state === 'failed'

/** The known result after the send. */
export const findResult = (state: string): 'sent' | 'delivered' | 'failed' | 'unknown' =>
  state === 'delivered' || state === 'failed' || state === 'unknown' ? state : 'sent'

/** For a text that was sent or is about to be. */
export const findTextStatus = (state: string): 'sending' | 'sent' | 'delivered' | 'failed' | 'unknown' =>
  state === 'scheduled' || state === 'claimed' || state === 'held' || state === 'sending'
    ? 'sending'
    : findResult(state)

/** D6: the parts always add up to the planned messages. */
const COUNTED = {
  waiting: ['scheduled', 'claimed'],
  held: ['held'],
  inFlight: ['sending'],
  sent: ['sent', 'delivered'],
  skipped: ['skipped'],
  failed: ['failed'],
  unknown: ['unknown'],
  cancelled: ['cancelled'],
} as const satisfies Record<string, readonly MessageState[]>

type Part = keyof typeof COUNTED
type Counts = Record<Part | 'planned', number>

/** The D6 part of a state, and the states of a part. */
export const findPart = (state: MessageState): Part =>
  (Object.keys(COUNTED) as Part[]).find((part) => (COUNTED[part] as readonly MessageState[]).includes(state))!
export const listStates = (part: Part): readonly MessageState[] => COUNTED[part]

/** The state as text, when no reason explains it. */
export function describeState(state: string): string {
  const texts: Record<string, string> = {
    scheduled: 'The message is scheduled. It is checked again when it is due.',
    claimed: 'The message is being checked now.',
    sending: 'The message is being sent.',
    sent: 'The message was sent.',
    delivered: 'The message was delivered.',
  }
  return texts[state] ?? ''
}

export function countParts(rows: readonly { state: string; count: number }[]): Counts {
  const sum = (counted: readonly { count: number }[]) => counted.reduce((total, { count }) => total + count, 0)
  const of = (states: readonly string[]) => sum(rows.filter(({ state }) => states.includes(state)))
  const parts = Object.entries(COUNTED).map(([name, states]) => [name, of(states)])
  return { planned: sum(rows), ...Object.fromEntries(parts) }
}
