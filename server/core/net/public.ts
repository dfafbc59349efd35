// What other rooms use: guarded HTTP and DNS.

export { canReach, evaluateAddress, isPublicHost, isPublicName } from './addresses.ts'
export { clientAddress, clientKey, compileRanges, hasOneHost, isAddressOrRange, limitConnections } from './clients.ts'
export { type DnsAnswer, type DnsLookup, openDns } from './dns.ts'
export { classifyFetchFailure, FetchProblem, type FetchProblemKind } from './fetch-problem.ts'
export { type GuardedAnswer, type GuardedFetch, guardedConnector, openGuardedHttp } from './guarded-fetch.ts'
export { type LookupAll, resolveGuarded } from './resolve.ts'
