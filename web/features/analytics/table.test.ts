import { expect, test } from 'vitest'
import { formatCsvLine } from '../../../shared/core/csv.ts'
import { buildFileName, buildLines, count, rateCell, toCodeValueCell, toMoneyCell, toTextCell } from './table.ts'

// CSV export of a table (decision 100).

test('exports plain numbers, fractions, and the currency in the column’s name', () => {
  const rows = [
    [toTextCell('France'), count(1_234), rateCell(1 / 3), toMoneyCell(5_678.9, 'EUR')],
    [toTextCell('Not known'), count(0), rateCell(null), toMoneyCell(null, 'EUR')],
  ]
  expect(rows[0]!.map(({ text }) => text)).toEqual(['France', '1,234', '33.33%', '€5,678.90'])
  expect(
    buildLines([['Country'], ['Abandoned', 'Of this period.'], ['Recovery rate'], ['Revenue opportunity']], rows),
  ).toEqual([
    ['Country', 'Abandoned', 'Recovery rate', 'Revenue opportunity (EUR)'],
    ['France', 1_234, 0.333333, 5_678.9],
    ['Not known', 0, null, null],
  ])
})

test('exports formula-like names and number-like codes as text (X3)', () => {
  const [, line] = buildLines([['Sent by'], ['SKU']], [[toTextCell('=1+1'), toCodeValueCell('00123')]])
  expect(formatCsvLine(line!)).toBe("'=1+1,'00123\r\n")
  expect(toCodeValueCell('00123').text).toBe('00123')
})

test('names the file by table and days', () => {
  const days = { firstDay: '2026-02-01', lastDay: '2026-03-02' }
  expect(buildFileName('By country', days)).toBe('by-country-2026-02-01-to-2026-03-02.csv')
})
