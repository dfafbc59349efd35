import type { FlowReport } from '../../shared/flow-report.ts'
import { CLICKED } from '../flows/rules.ts'
import { counted, formatCount } from '../ui/format.ts'

// What the report of a flow says in words. Pure.

export type StepFigures = FlowReport['steps'][number]
export type VariantFigures = StepFigures['variants'][number]

export const reportDefinitions = {
  planned: 'Messages of this step that were planned in these days.',
  sent: 'Messages of this step that left in these days and were accepted by the mail server or provider. All figures below are of them.',
  delivered: 'Known to have arrived. SMS and WhatsApp report it; of email nobody knows.',
  clicked: CLICKED,
  orders: 'Messages with an order attributed to them.',
  revenue: 'Net revenue of the orders attributed to these messages.',
  revenuePerRecipient: 'Net revenue attributed to these messages, divided by the messages sent.',
  unsubscribed: 'Messages whose receiver unsubscribed by them.',
  skipped: 'Messages that were not sent since these days began, by the reason of each.',
  people: 'Messages with these words that were accepted. A shopper always gets the same words.',
  bought: 'Of these, with an order attributed to them.',
} as const

/** The bars of a step, each from zero, as shares of the longest. null: nobody reports it. */
export function funnelOf({ planned, sent, delivered, clicked, orders }: StepFigures) {
  const rows = [
    ['planned', 'Planned', planned],
    ['sent', 'Sent', sent],
    ['delivered', 'Delivered', delivered],
    ['clicked', 'Clicked', clicked],
    ['orders', 'Orders', orders],
  ] as const
  // What was planned before these days may leave in them.
  const whole = Math.max(planned, sent)
  return rows.map(([key, label, count]) => ({ key, label, count, width: widthOf(count ?? 0, whole) }))
}

/** In percent of the whole. */
export const widthOf = (count: number, whole: number): number => (whole > 0 ? Math.min(100, (count / whole) * 100) : 0)

export const nameOfStep = ({ step, name }: Pick<StepFigures, 'step' | 'name'>): string =>
  step === null ? `${name} (removed)` : `${step}. ${name}`

export const totalOf = (steps: readonly StepFigures[]) => ({
  orders: steps.reduce((sum, { orders }) => sum + orders, 0),
  revenue: steps.reduce((sum, { revenue }) => sum + revenue, 0),
})

/** Whether a variant sells more than the first, as far as that is shown. */
export function comparisonText(variant: VariantFigures, first: VariantFigures, purchasesNeeded: number | null): string {
  if (variant.variantId === first.variantId) return 'The others are compared with this one.'
  const { comparison } = variant
  if (!comparison) {
    return purchasesNeeded === null
      ? 'Not compared yet.'
      : `Not enough data yet: a comparison needs ${counted(purchasesNeeded, 'purchase')} with each variant.`
  }
  const { lower, upper, excludesZero } = comparison
  if (!excludesZero) {
    return `No difference shown: between ${points(-lower)} fewer and ${points(upper)} more people bought than with ${first.name}, since the test began.`
  }
  const isMore = lower > 0
  const [least, most] = isMore ? [lower, upper] : [-upper, -lower]
  return `Sells ${isMore ? 'more' : 'less'}: between ${points(least)} and ${points(most)} ${isMore ? 'more' : 'fewer'} people bought than with ${first.name}, since the test began.`
}

const points = (value: number) => `${formatCount(Math.round(Math.abs(value) * 100) / 100)} percentage points`
