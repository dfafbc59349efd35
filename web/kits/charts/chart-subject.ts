import type { ChartMeasure } from '../../../shared/insights/dashboard.ts'
import { formatCount, formatCounted, formatMoney, formatRound } from '../../core/ui/format.ts'

// Subjects of the chart and the formats of their numbers. Pure.

export interface Subject {
  /** `money`: two amounts; `rate`: fractions, which have no sum. */
  measure: ChartMeasure | 'money' | 'rate'
  /** Start of the chart's description for screen readers. */
  name: string
  axis: string
  /** Legend below the chart: what its numbers mean. */
  definition: string
  /** Text of an empty chart. */
  nothing: string
  /** null: there is none. */
  format: (value: number | null) => string
  /** Axis label. */
  formatMark: (value: number) => string
  /** Total of a dataset with its unit. */
  formatTotal: (value: number) => string
}

const carts: Subject = {
  measure: 'carts',
  name: 'Cart recovery',
  axis: 'Number of Carts',
  definition: 'By the time of abandonment and of recovery.',
  nothing: 'No carts in this period',
  format: (value) => formatCount(value ?? 0),
  formatMark: formatCount,
  formatTotal: (value) => formatCounted(value, 'cart'),
}

interface Revenue {
  currency: string
  otherCurrencies: readonly { currency: string; revenue: number }[]
}

export function findSubject(measure: ChartMeasure, chart: Partial<Revenue> | undefined): Subject {
  if (measure === 'carts') return carts
  const currency = chart?.currency ?? 'USD'
  const format = (value: number | null) => formatMoney(value ?? 0, currency)
  const others = (chart?.otherCurrencies ?? []).map((each) => formatMoney(each.revenue, each.currency))
  const not = others.length > 0 ? ` In other currencies: ${others.join(', ')}.` : ''
  return {
    measure,
    name: 'Recovered revenue',
    axis: `Revenue (${currency})`,
    definition: `Net of refunds, by the time of the order.${not}`,
    nothing: 'No recovered revenue in this period',
    format,
    formatMark: (value) => formatRound(value, currency),
    formatTotal: format,
  }
}
