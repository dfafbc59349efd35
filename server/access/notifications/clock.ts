// The lock on an account’s grouping, for transactions that must wait for it.

export { waitForGrouping } from './group-sql.ts'
