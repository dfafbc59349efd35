// The lock on an account’s grouping, for transactions that must wait for it.

export { holdClock } from './group-sql.ts'
