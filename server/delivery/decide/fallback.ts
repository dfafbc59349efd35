import type { Decision } from './decide.ts'

// Chooses among the channels of a step (decision 54). Pure.

/** Reasons that rule out one channel and say nothing about the others. */
const CHANNEL_REASONS = new RegExp(
  `^(${[
    '(too_old:)?(no_contact|contact_unconfirmed)',
    'suppressed_\\w+',
    'no_consent',
    'consent_(pending|unconfirmed|withdrawn)',
    'sms_(once_per_cart|too_late)',
    'whatsapp_marketing_refused',
    '(mail|sms|whatsapp|push)_not_configured',
    'sender_missing',
    'template_missing',
    'plan_required',
    'plan_limit',
    'budget',
    'quiet_hours',
    'cooldown',
  ].join('|')})$`,
)

export const isChannelSpecific = ({ outcome, reason }: Pick<Decision, 'outcome' | 'reason'>): boolean =>
  outcome !== 'send' && CHANNEL_REASONS.test(reason)

/**
 * Picks the decision that counts from one per channel, in the order of the step: the first that is not specific to its
 * channel. If all are, the message waits for the channel that is free first, or ends if no channel holds it.
 */
export function pickDecision<Each extends { decision: Decision }>(evaluated: readonly Each[]): Each {
  const decided = evaluated.find(({ decision }) => !isChannelSpecific(decision))
  if (decided) return decided
  const waiting = evaluated.filter(({ decision }) => decision.outcome === 'hold')
  return waiting.toSorted((a, b) => getHoldEnd(a) - getHoldEnd(b))[0] ?? evaluated[0]!
}

const getHoldEnd = ({ decision }: { decision: Decision }) =>
  decision.outcome === 'hold' ? decision.until.getTime() : 0
