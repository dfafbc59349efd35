// New notifications for the open tabs of a store.

export type { Listed } from './list-sql.ts'
export { newestInstant, newsSince, switchedOff } from './news-sql.ts'
