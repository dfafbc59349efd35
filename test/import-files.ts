import { findConsentColumns, guessMapping, readRow } from '../server/marketing/ledger/import-rules.ts'
import type { ImportMapping } from '../shared/marketing/ledger.ts'

export const zone = 'UTC'
export const uploadedAt = new Date('2026-03-02T15:00:00Z')

/** Reads a file with detected columns; `overrides` is what the owner states for the whole file. */
export function readFile(file: string, overrides: Partial<ImportMapping> = {}) {
  const [names, ...rows] = file
    .trim()
    .split('\n')
    .map((line) => line.trim().split(','))
  const mapping = { ...guessMapping(names!, rows, 'US'), sourceForAll: 'Form', ...overrides }
  const columns = findConsentColumns(names!, mapping)
  return rows.map((cells, n) => readRow(cells, n + 2, { mapping, columns, country: 'US', zone, uploadedAt }))
}
export const readOutcomes = (file: string, overrides: Partial<ImportMapping> = {}) =>
  readFile(file, overrides).map(({ status, reason, problem }) => problem ?? [status, reason].filter(Boolean).join(' '))
