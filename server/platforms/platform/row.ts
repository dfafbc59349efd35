import { z } from 'zod'
import type { SkippedRow } from './platform.ts'
import { isRecord, parseGmt, parseId, parseWebAddress, toPlainText } from './text.ts'

// Reads rows of a store's response, field by field: a missing or invalid field becomes null, and only a row without a
// required field is skipped.

export type RowReading<Row> = { row: Row } | { skipped: SkippedRow }

export interface Rows<Row> {
  rows: Row[]
  skipped: SkippedRow[]
}

/** Reads a page row by row; an invalid row never affects the others. */
export function readRows<Row>(list: readonly unknown[], read: (raw: unknown) => RowReading<Row>): Rows<Row> {
  const rows: Row[] = []
  const skipped: SkippedRow[] = []
  for (const raw of list) {
    const reading = read(raw)
    if ('row' in reading) rows.push(reading.row)
    else skipped.push(reading.skipped)
  }
  return { rows, skipped }
}

const MAX_LINES = 500
export const field = <Value>(read: (input: unknown) => Value) => z.unknown().optional().transform(read)
export const wireId = field(parseId)
export const wireText = (maxLength: number) => field((input) => toPlainText(input, maxLength))
export const wireTime = field(parseGmt)
export const wireUrl = field(parseWebAddress)
export const wireRaw = z.unknown().optional()
export const wireList = field((input) => (Array.isArray(input) ? input.slice(0, MAX_LINES).filter(isRecord) : []))
export const wirePart = field((input) => (isRecord(input) ? input : {}))

export function skip(raw: unknown, reason: string): { skipped: SkippedRow } {
  return { skipped: { id: isRecord(raw) ? parseId(raw.id) : null, reason } }
}
