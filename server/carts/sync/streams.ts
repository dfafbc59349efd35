// How far each stream of a store was read, and what others change of it.

export { completeReported, forgetCheckFailures } from './reported-sql.ts'
export { ageReadings, endLeases, ensureStreams, forgetFailures, readStreams } from './sync-sql.ts'
