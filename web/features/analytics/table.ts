import { type CsvCell, formatCodeCell } from '../../../shared/core/csv.ts'
import { formatPercent } from '../../../shared/core/percent.ts'
import { formatCount, formatMoney } from '../../core/ui/format.ts'

// Table cells as shown and as exported to CSV (decision 100). Pure.

export interface Cell {
  text: string
  /** A rate is a fraction, as in the full export. */
  value: CsvCell
  /** Currency of an amount. */
  currency?: string
}

export const toTextCell = (text: string): Cell => ({ text, value: text })
export const toCodeValueCell = (text: string | null): Cell => ({ text: text ?? '', value: formatCodeCell(text) })
export const count = (value: number): Cell => ({ text: formatCount(value), value })
export const rateCell = (value: number | null): Cell => ({ text: formatPercent(value), value })
export const toMoneyCell = (value: number | null, currency: string): Cell => ({
  text: value === null ? '–' : formatMoney(value, currency),
  value,
  currency,
})

/** Without a definition: a row header or a self-explanatory column. */
export type Column = readonly [label: string, definition?: string]

const DIGITS = 1_000_000

/** Amount columns carry the currency in their name. */
export function buildLines(head: readonly Column[], rows: readonly (readonly Cell[])[]): CsvCell[][] {
  const names = head.map(([name], place) => {
    const currency = rows[0]?.[place]?.currency
    return currency ? `${name} (${currency})` : name
  })
  const roundCell = (value: CsvCell) => (typeof value === 'number' ? Math.round(value * DIGITS) / DIGITS : value)
  return [names, ...rows.map((row) => row.map(({ value }) => roundCell(value)))]
}

/** "By country" for a range: by-country-2026-02-01-to-2026-03-02.csv */
export const buildFileName = (title: string, { firstDay, lastDay }: { firstDay: string; lastDay: string }): string =>
  `${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-${firstDay}-to-${lastDay}.csv`
