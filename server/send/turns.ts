import { notSent } from '../channels/not-sent.ts'
import type { Ready } from '../decide/evaluate.ts'
import type { Finished } from '../outcome/outcome.ts'

// What the turns of a batch have in common, of mails (mail-turn.ts) and of texts and notifications (wide-turn.ts).

/** What of a batch leaves when, and what became of it. */
export interface Turns {
  /** Before anything leaves. Answers those that may. */
  prepare(ready: readonly Ready[]): Promise<Ready[]>
  /** One commit writes these answers, and that others leave. When it fails, the answers are still written down: they cannot be had again. */
  take(done: readonly Finished[], next: readonly Ready[]): Promise<Turn>
  /** Writes down what became of what is not waited for any longer. Never throws. */
  record(done: readonly Finished[]): Promise<void>
  /** All that was answered is written down to its end, with these last ones, whose places nobody takes in this batch. Never throws. */
  flush(last: readonly Finished[]): Promise<void>
  /** The same, and nothing more leaves. */
  end(): Promise<void>
}

export interface Turn {
  submitted: Set<string>
  at: Date
  failure: unknown
}

/** The commit may have happened though its answer never came. Nothing was put in flight: what left in it is due again. */
export function neverLeft(ready: Ready, sendingAt: Date): Finished {
  return { ready, sendingAt, answeredAt: sendingAt, outcome: notSent('the database was unreachable.') }
}

export const shopperOf = ({ row }: Ready): string => row.shopper_id
