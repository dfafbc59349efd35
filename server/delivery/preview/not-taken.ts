import type { MessagePreview } from '../../../shared/reminders.ts'
import type { ConditionFinding } from '../../carts/flow-choice/conditions.ts'
import type { FlowMismatch } from '../../carts/flow-choice/flow-match.ts'

// Explains in a preview unmet conditions and carts that the flow does not match. Pure.

type Decision = NonNullable<MessagePreview['decision']>

const REASONS: Record<FlowMismatch['why'], (flow: string) => string> = {
  conditions: () => 'its conditions do not hold for it.',
  other_flow: (flow) => `it belongs to “${flow}”, and stays there.`,
  flow_above: (flow) => `“${flow}” stands above this flow and takes it.`,
  left_before: () => 'it was left before this flow was switched on.',
  left_untaken: () => 'no flow took it when it was left.',
}

export function decisionOfNotTaken(notTaken: FlowMismatch): Decision {
  const { why } = notTaken
  return {
    ...{ outcome: 'skip', reason: `not_taken:${why}`, until: null },
    explanation: `This flow does not take this cart: ${REASONS[why]('flow' in notTaken ? notTaken.flow : '')}`,
    unmet: notTaken.why === 'conditions' ? unmetOf('flow', notTaken) : null,
  }
}

/** Unmet conditions in the form of the decision record (decide/decision-inputs.ts). null: all hold. */
export function unmetOf(
  of: 'flow' | 'step',
  { finding, currency }: { finding: ConditionFinding; currency: string },
): Decision['unmet'] {
  if (finding.holds) return null
  return { of, conditionValues: finding.asked, conditionsUnmet: { currency, conditions: finding.unmet } }
}
