import type { Decision } from './decide.ts'

// A step that may go by several channels (decision 54). Pure.

/** What keeps a message from one channel and says nothing of another: no contact, no consent, no plan, no provider, or it is quiet there. */
const OF_CHANNEL = new RegExp(
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

export const isOfChannel = ({ outcome, reason }: Pick<Decision, 'outcome' | 'reason'>): boolean =>
  outcome !== 'send' && OF_CHANNEL.test(reason)

/**
 * Which of these decisions counts, one for each channel in the order of the step: the first that is not about its channel alone, whatever
 * it says. Where none is, the message waits for the channel that is free first; it is over where all say so.
 */
export function decisive<Each extends { decision: Decision }>(asked: readonly Each[]): Each {
  const decided = asked.find(({ decision }) => !isOfChannel(decision))
  if (decided) return decided
  const waiting = asked.filter(({ decision }) => decision.outcome === 'hold')
  return waiting.toSorted((a, b) => untilOf(a) - untilOf(b))[0] ?? asked[0]!
}

const untilOf = ({ decision }: { decision: Decision }) => (decision.outcome === 'hold' ? decision.until.getTime() : 0)
