// What is new for whoever has a store open.

export type { Listed } from './list-sql.ts'
export { newestInstant, newsSince, switchedOff } from './news-sql.ts'
