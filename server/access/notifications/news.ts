// New notifications for the open tabs of a store.

export type { ListedNotification } from './list-sql.ts'
export { findNewestInstant, listMutedTopics, listNewsSince } from './news-sql.ts'
