// Progress of each stream of a store, for other rooms.

export { clearCheckFailures, completeReported } from './reported-sql.ts'
export { clearFailures, endLeases, ensureStreams, readStreams, shiftReadTimes } from './sync-sql.ts'
