import { type BelongsTo, type PersonRows, tables } from '../../core/database/public.ts'

// Tables with a person's data, for exports and erasures.

export interface PrivacyTable extends PersonRows {
  name: string
}

const listPrivacyTables = (list: BelongsTo): readonly PrivacyTable[] =>
  Object.entries(tables).flatMap(([name, { of, person }]) =>
    of === list && 'by' in person ? [{ name, ...person }] : [],
  )

/** Tables of a store. */
export const privacyTables = listPrivacyTables('store')

/** Tables of an account. */
export const accountPrivacyTables = listPrivacyTables('account')
