import type { Outcome } from './channel.ts'

/** Nothing left, which is known for certain: it is tried again, after a moment unless told (null: as after any refusal for now). */
export function notSent(why: string, retryAfterMs: number | null = 1_000): Outcome {
  const outcome = { kind: 'retry', reason: 'not_sent', response: `Not sent: ${why}` } as const
  return retryAfterMs === null ? outcome : { ...outcome, retryAfterMs }
}
