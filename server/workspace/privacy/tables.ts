import { type BelongsTo, type PersonRows, tables } from '../../core/database/tables.ts'

// Where a person stands in the database: what an export of them holds and what an erasure goes over.

export interface PrivacyTable extends PersonRows {
  name: string
}

const privacyTablesOf = (list: BelongsTo): readonly PrivacyTable[] =>
  Object.entries(tables).flatMap(([name, { of, person }]) =>
    of === list && 'by' in person ? [{ name, ...person }] : [],
  )

/** Of a store. */
export const privacyTables = privacyTablesOf('store')

/** Of an account. */
export const accountPrivacyTables = privacyTablesOf('account')
