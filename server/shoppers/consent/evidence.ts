// Evidence in the ledger, for other rooms.

export { ledgerText } from './evidence-sql.ts'
