import type { FlowReport } from '../../../shared/marketing/flow-report.ts'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { CLICKED } from '../../kits/flows/rules.ts'

// Texts and bars of the flow report. Pure.

export type StepFigures = FlowReport['steps'][number]
export type VariantFigures = StepFigures['variants'][number]

export const reportDefinitions = {
  planned: 'Messages of this step that were planned in these days, whenever they leave or close.',
  sent: 'Messages of this step that left in these days and were accepted by the mail server or provider, whenever they were planned. All figures below are of them.',
  delivered: 'Known to have arrived. SMS, WhatsApp and push notifications report it; of email nobody does.',
  clicked: CLICKED,
  orders: 'Messages with an order attributed to them.',
  revenue: 'Net revenue of the orders attributed to these messages.',
  revenuePerRecipient: 'Net revenue attributed to these messages, divided by the messages sent.',
  unsubscribed: 'Messages whose receiver unsubscribed by them.',
  skipped:
    'Messages that were closed in these days without being sent, by the reason of each, whenever they were planned.',
  people: 'Messages with these words that were accepted. A shopper always gets the same words.',
  bought: 'Of these, with an order attributed to them.',
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
  const unsaid = mails > 0 ? `, not reported of ${formatCounted(mails, 'email')}` : ''
  return `${formatCount(delivered)} of ${formatCount(reporting)}${unsaid}`
}

/** States the base of each rate where readers might add them up. */
export const BASES =
  'Planned counts messages by the day they were planned, sent by the day they left, and not sent by the day they were closed. A message that was planned before these days and left or closed in them is not among the planned, and one that still waits is neither sent nor closed. So the numbers do not add up to the planned.'

/** Percent of the total. */
export const computeWidth = (count: number, whole: number): number =>
  whole > 0 ? Math.min(100, (count / whole) * 100) : 0

export const nameStep = ({ step, name }: Pick<StepFigures, 'step' | 'name'>): string =>
  step === null ? `${name} (removed)` : `${step}. ${name}`

export const sumSteps = (steps: readonly StepFigures[]) => ({
  orders: steps.reduce((sum, { orders }) => sum + orders, 0),
  revenue: steps.reduce((sum, { revenue }) => sum + revenue, 0),
})

/** Whether a variant sells more than the first, as far as proven. */
export function describeComparison(
  variant: VariantFigures,
  first: VariantFigures,
  purchasesNeeded: number | null,
): string {
  if (variant.variantId === first.variantId) return 'The others are compared with this one.'
  const { comparison } = variant
  if (!comparison) {
    return purchasesNeeded === null
      ? 'Not compared yet.'
      : `Not enough data yet: a comparison needs ${formatCounted(purchasesNeeded, 'purchase')} with each variant.`
  }
  const { lower, upper, excludesZero } = comparison
  if (!excludesZero) {
    return `No difference shown: between ${formatPoints(-lower)} fewer and ${formatPoints(upper)} more people bought than with ${first.name}, since the test began.`
  }
  const isMore = lower > 0
  const [least, most] = isMore ? [lower, upper] : [-upper, -lower]
  return `Sells ${isMore ? 'more' : 'less'}: between ${formatPoints(least)} and ${formatPoints(most)} ${isMore ? 'more' : 'fewer'} people bought than with ${first.name}, since the test began.`
}

const formatPoints = (value: number) => `${formatCount(Math.round(Math.abs(value) * 100) / 100)} percentage points`
