import type { FlowReport } from '../../../shared/marketing/flow-report.ts'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { CLICKED } from '../../kits/flows/rules.ts'

// Texts and sums of the flow report. Pure.

export type StepFigures = FlowReport['steps'][number]
export type VariantFigures = StepFigures['variants'][number]

export const reportDefinitions = {
  planned: 'Messages of this step planned in this period.',
  sent: 'Messages of this step sent in this period. All figures below are of them.',
  delivered: 'Delivery reported by SMS, WhatsApp and push. Email reports none.',
  clicked: CLICKED,
  orders: 'Messages with an order attributed to them.',
  revenue: 'Net revenue of the orders attributed to these messages.',
  revenuePerRecipient: 'Net revenue attributed to these messages, divided by the messages sent.',
  unsubscribed: 'Messages from which a shopper unsubscribed.',
  people: 'Shoppers who got this text. Each always gets the same one.',
  bought: 'Of these, shoppers with an attributed order.',
} as const

/**
 * Deliveries among messages with a report, plus the number without one. Never a 0 that reads as "nothing was
 * delivered".
 */
export function describeDelivered({
  sent,
  delivered,
  reporting,
}: Pick<StepFigures, 'sent' | 'delivered' | 'reporting'>) {
  if (delivered === null) return 'not reported'
  const mails = sent - reporting
  const unsaid = mails > 0 ? `, not reported for ${formatCounted(mails, 'email')}` : ''
  return `${formatCount(delivered)} of ${formatCount(reporting)}${unsaid}`
}

export const nameStep = ({ step, name }: Pick<StepFigures, 'step' | 'name'>): string =>
  step === null ? `${name} (removed)` : `${step}. ${name}`

export const sumSteps = (
  steps: readonly StepFigures[],
  key: 'planned' | 'sent' | 'clicked' | 'orders' | 'revenue' | 'unsubscribed',
): number => steps.reduce((sum, step) => sum + step[key], 0)

/** Unsent messages by reason, most frequent first, with a count per step. */
export function listSkipped(steps: readonly StepFigures[]) {
  const all = steps.flatMap(({ skipped }) => skipped)
  const explanations = [...new Set(all.map(({ explanation }) => explanation))]
  return explanations
    .map((explanation) => {
      const counts = steps.map(({ skipped }) =>
        skipped.reduce((sum, each) => sum + (each.explanation === explanation ? each.count : 0), 0),
      )
      return { explanation, counts, total: counts.reduce((sum, count) => sum + count, 0) }
    })
    .sort((a, b) => b.total - a.total)
}

/** Whether a variant sells more than the first, as far as proven. */
export function describeComparison(
  variant: VariantFigures,
  first: VariantFigures,
  purchasesNeeded: number | null,
): string {
  if (variant.variantId === first.variantId) return 'The others are compared with this text.'
  const { comparison } = variant
  if (!comparison) {
    return purchasesNeeded === null
      ? 'Not compared yet.'
      : `Not enough data yet: a comparison needs ${formatCounted(purchasesNeeded, 'purchase')} with each variant.`
  }
  const { lower, upper, excludesZero } = comparison
  if (!excludesZero) {
    return `No difference proven: the share who bought is between ${formatPoints(-lower)} lower and ${formatPoints(upper)} higher than with ${first.name}.`
  }
  const isMore = lower > 0
  const [least, most] = isMore ? [lower, upper] : [-upper, -lower]
  return `Sells ${isMore ? 'more' : 'less'}: the share who bought is between ${formatPoints(least)} and ${formatPoints(most)} ${isMore ? 'higher' : 'lower'} than with ${first.name}.`
}

const formatPoints = (value: number) => `${formatCount(Math.round(Math.abs(value) * 100) / 100)} percentage points`
