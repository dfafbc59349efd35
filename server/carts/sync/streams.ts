// Progress of each stream of a store, for other rooms.

export { completeReported, forgetCheckFailures } from './reported-sql.ts'
export { ageReadings, endLeases, ensureStreams, forgetFailures, readStreams } from './sync-sql.ts'
