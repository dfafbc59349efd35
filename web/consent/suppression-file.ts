import type { ImportRow } from '../../shared/suppressions.ts'

// Turns the cells of an address file into the rows to send. Pure.

export const fields = ['address', 'channel', 'reason', 'note'] as const
export type Field = (typeof fields)[number]
/** Column of each field; null if absent. */
export type Mapping = Record<Field, number | null>

export interface Sheet {
  fileName: string
  /** All rows including the heading. Empty lines are kept, so a row's number is its line number. */
  rows: string[][]
}

const NAMES: Record<Field, RegExp> = {
  address: /address|e-?mail|phone|mobile|number|recipient|contact/i,
  channel: /channel|type|kind/i,
  reason: /reason|status|why|cause/i,
  note: /note|comment|remark/i,
}
const ADDRESS = /@|^\W*\d[\d\s().\-/]{6,}$/

/** Whether the first line is a heading: none of its cells is an address. */
export const hasHeading = ({ rows }: Sheet): boolean => !(rows[0] ?? []).some((cell) => ADDRESS.test(cell.trim()))

/** Guesses columns by heading, otherwise by the first rows. */
export function guessMapping(sheet: Sheet, isHeaded: boolean): Mapping {
  const heading = isHeaded ? (sheet.rows[0] ?? []) : []
  const named = (field: Field) => heading.findIndex((name) => NAMES[field].test(name))
  const sample = sheet.rows.slice(isHeaded ? 1 : 0, 20)
  const looked = listColumns(sheet).find((column) => sample.some((row) => ADDRESS.test(row[column]?.trim() ?? '')))
  const address = named('address') >= 0 ? named('address') : (looked ?? 0)
  const other = (field: Field) => (named(field) >= 0 && named(field) !== address ? named(field) : null)
  return { address, channel: other('channel'), reason: other('reason'), note: other('note') }
}

export const listColumns = ({ rows }: Sheet): number[] =>
  Array.from({ length: Math.max(0, ...rows.slice(0, 50).map((row) => row.length)) }, (_, column) => column)

export const nameColumn = (sheet: Sheet, column: number, isHeaded: boolean): string =>
  (isHeaded && sheet.rows[0]?.[column]?.trim()) || `Column ${column + 1}`

/** Skips empty lines. */
export function buildRows({ rows }: Sheet, mapping: Mapping, isHeaded: boolean): ImportRow[] {
  const cell = (row: string[], column: number | null, most: number) =>
    (column === null ? '' : (row[column] ?? '')).trim().slice(0, most)
  return rows.flatMap((row, index) => {
    if ((isHeaded && index === 0) || row.every((each) => each.trim() === '')) return []
    return [
      {
        line: index + 1,
        address: cell(row, mapping.address, 400),
        channel: cell(row, mapping.channel, 100),
        reason: cell(row, mapping.reason, 100),
        note: cell(row, mapping.note, 400),
      },
    ]
  })
}
