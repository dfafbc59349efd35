import type { Harness } from '../harness.ts'
import type { SentMessage } from '../providers.ts'
import type { State } from '../state.ts'
import type { Step } from '../steps.ts'

// Input of an invariant: the database before and after a step, and the messages that providers received.

export interface Scene {
  harness: Harness
  /** The last step. Acts within or alongside another act have no defined order. */
  step: Step
  state: State
  /** null before the first step. */
  before: State | null
  mails: readonly SentMessage[]
  /** Messages of the last step, with evidence. */
  fresh: readonly SentMail[]
  /** Places with traces of an erased person. */
  traces: readonly string[]
}

export type SentMail = SentMessage & { evidence: NonNullable<SentMessage['evidence']> }

/** Returns a message for each violation; none: the invariant holds. */
export type Invariant = (scene: Scene) => string[]

/** "Within a second": an event in the same second as a send may have come too late for it. */
export const MOMENT_MS = 1_000

/** Longer than a dead worker blocks the store. */
export const SURELY_FREE_MS = 5 * 60_000

/** A worker finished its pass, and no dead process blocked the store. */
export const canSend = ({ harness, step }: Scene): boolean =>
  step.do === 'work' && harness.isPassDone && harness.stepStartedAt + step.waitMs - harness.diedAt >= SURELY_FREE_MS

export const OPEN: ReadonlySet<string> = new Set(['scheduled', 'held', 'claimed'])

export const isManualSend = ({ origin }: { origin: string }): boolean => origin.startsWith('manual:')

export const isCampaignSend = ({ origin }: { origin: string }): boolean => origin.startsWith('campaign:')

/** Sent by a flow that the owner edits. */
export const isFlowSend = ({ origin }: { origin: string }): boolean => origin.startsWith('flow:')

const CHANNEL_NAMES = { email: 'mail', sms: 'SMS', whatsapp: 'WhatsApp', push: 'notification' }

export const describeMail = (mail: SentMail) =>
  `${CHANNEL_NAMES[mail.channel]} ${mail.id.slice(-6)} (cart ${mail.evidence.cart.slice(-6)}, step ${mail.evidence.step}, to ${mail.to})`
