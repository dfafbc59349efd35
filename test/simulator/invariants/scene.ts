import type { Harness } from '../harness.ts'
import type { SentMessage } from '../post.ts'
import type { Step } from '../steps.ts'
import type { State } from '../witness.ts'

// What an invariant looks at: the database after a step, what it was before it, and what the provider was handed.

export interface Scene {
  harness: Harness
  /** The last step; what was done during another act or at once with one has no order to speak of. */
  step: Step
  state: State
  /** null before the first step. */
  before: State | null
  mails: readonly SentMessage[]
  /** Those of the last step, with what they rested on. */
  fresh: readonly SentMail[]
  /** Where something of an erased person still stands. */
  traces: readonly string[]
}

export type SentMail = SentMessage & { evidence: NonNullable<SentMessage['evidence']> }

/** Sentences about what is broken; none: it holds. */
export type Invariant = (scene: Scene) => string[]

/** "Within a second": what happened in the same second as a send may have come too late for it. */
export const MOMENT_MS = 1_000

/** Longer than a worker that ended keeps the store for itself. */
export const SURELY_FREE_MS = 5 * 60_000

/** A look that came to its end, and no process that died before had the store for itself still. */
export const canSend = ({ harness, step }: Scene): boolean =>
  step.do === 'work' && harness.isLookDone && harness.stepStartedAt + step.waitMs - harness.diedAt >= SURELY_FREE_MS

export const OPEN: ReadonlySet<string> = new Set(['scheduled', 'held', 'claimed'])

export const isManualSend = ({ origin }: { origin: string }): boolean => origin.startsWith('manual:')

export const isCampaignSend = ({ origin }: { origin: string }): boolean => origin.startsWith('campaign:')

/** One that the owner edits. */
export const isFlowSend = ({ origin }: { origin: string }): boolean => origin.startsWith('flow:')

const WORDS = { email: 'mail', sms: 'SMS', whatsapp: 'WhatsApp', push: 'notification' }

export const describeMail = (mail: SentMail) =>
  `${WORDS[mail.channel]} ${mail.id.slice(-6)} (cart ${mail.evidence.cart.slice(-6)}, step ${mail.evidence.step}, to ${mail.to})`
