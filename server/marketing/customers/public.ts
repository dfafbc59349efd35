// What other rooms use.

export { listAbandonedIds, listCustomerIds } from './abandoned.ts'
export { foldCustomerListCounts } from './counts.ts'
export { buildFilter } from './customers.ts'
export { customerRoutes } from './routes.ts'
