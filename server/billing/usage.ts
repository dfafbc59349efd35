// How many messages an account has sent in a month, counted in the transaction that hands them over.

export { addUsage, lockUsage } from './usage-sql.ts'
