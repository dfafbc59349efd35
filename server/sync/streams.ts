// How far each stream of a store was read, and what others change of it.

export { ageReadings, completeReported, endLeases, ensureStreams, forgetFailures, readStreams } from './sync-sql.ts'
