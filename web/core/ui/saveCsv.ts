import { CSV_START, type CsvCell, formatCsvLine } from '../../../shared/core/csv.ts'
import { announce } from './announce.ts'

/** Saves rows as a CSV file. */
export function saveCsv(name: string, lines: readonly (readonly CsvCell[])[]): void {
  const file = new Blob([CSV_START, ...lines.map(formatCsvLine)], { type: 'text/csv;charset=utf-8' })
  const address = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href: address, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
  announce(`Saved as ${name}`)
}
