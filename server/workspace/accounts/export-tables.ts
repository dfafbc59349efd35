import { type ExportedRows, tables } from '../../core/database/public.ts'

// The tables of an account export.

/** One table of a store. */
export interface ExportedTable extends ExportedRows {
  name: string
}

/** Per store, in the order of the files. */
export const storeTables: readonly ExportedTable[] = Object.entries(tables).flatMap(([name, { export: exported }]) =>
  typeof exported === 'object' && 'key' in exported ? [{ name, ...exported }] : [],
)

export const accountTables: readonly string[] = Object.entries(tables).flatMap(([name, { export: exported }]) =>
  exported === 'whole' ? [name] : [],
)
