import type { FlowReport } from '../../../shared/marketing/flow-report.ts'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { CLICKED } from '../../kits/flows/rules.ts'

// Texts and bars of the flow report. Pure.

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
  skipped: 'Messages closed in this period without being sent, by reason.',
  people: 'Shoppers who got this text. Each always gets the same one.',
  bought: 'Of these, shoppers with an attributed order.',
} as const

/** The bars of a step from zero, as shares of the longest. null: no report exists. */
export function buildFunnel(figures: StepFigures) {
  const { planned, sent, delivered, clicked, orders } = figures
  const rows = [
    ['planned', 'Planned', planned],
    ['sent', 'Sent', sent],
    ['delivered', 'Delivered', delivered],
    ['clicked', 'Clicked', clicked],
    ['orders', 'Orders', orders],
  ] as const
  // Messages scheduled before the period may be sent in it.
  const whole = Math.max(planned, sent)
  return rows.map(([key, label, count]) => ({
    key,
    label,
    count,
    width: computeWidth(count ?? 0, whole),
    text: key === 'delivered' ? describeDelivered(figures) : formatCount(count ?? 0),
  }))
}

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

/** Percent of the total. */
export const computeWidth = (count: number, whole: number): number =>
  whole > 0 ? Math.min(100, (count / whole) * 100) : 0

export const nameStep = ({ step, name }: Pick<StepFigures, 'step' | 'name'>): string =>
  step === null ? `${name} (removed)` : `${step}. ${name}`

export const sumSteps = (steps: readonly StepFigures[]) => ({
  sent: steps.reduce((sum, { sent }) => sum + sent, 0),
  orders: steps.reduce((sum, { orders }) => sum + orders, 0),
  revenue: steps.reduce((sum, { revenue }) => sum + revenue, 0),
})

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
