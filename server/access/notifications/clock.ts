// The clock of an account’s notifications, for transactions that wait for what is being gathered.

export { holdClock } from './gather-sql.ts'
