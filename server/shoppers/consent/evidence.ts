// What the ledger says of addresses, in the words of the rules.

export { ledgerText } from './evidence-sql.ts'
