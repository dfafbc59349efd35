import type { Outcome } from './channel.ts'

/** A message that was certainly not sent. It is retried after `retryAfterMs`; null means the default backoff. */
export function buildNotSentOutcome(why: string, retryAfterMs: number | null = 1_000): Outcome {
  const outcome = { kind: 'retry', reason: 'not_sent', response: `Not sent: ${why}` } as const
  return retryAfterMs === null ? outcome : { ...outcome, retryAfterMs }
}
