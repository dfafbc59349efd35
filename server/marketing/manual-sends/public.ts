// What other rooms use.

export { refreshLargeJobStatistics } from './bulk-sends.ts'
export { forecastEmail } from './eligibility.ts'
export { deleteExpiredRequests, type IdempotentRequest, replayReply, withIdempotencyKey } from './idempotency.ts'
export { loadMessageViews, type TextView } from './manual.ts'
export { idempotentRequest, manualRoutes } from './manual-routes.ts'
export { findReplayedJob, findReplayedSend, sendToPerson, startPeopleJob } from './people.ts'
export { countFiltered, readReach } from './reach.ts'
export { findProblem, Tally } from './tally.ts'
export { sendOfferTest, type Tester } from './test-send.ts'
