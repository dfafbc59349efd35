// What other rooms use: opens, clicks.

export { recordEngagement } from './events.ts'
export { linkName } from './follow.ts'
export { engagementRoutes } from './routes.ts'
export { countClicksByTarget, countPeople, groupedEngagementEvents } from './sql.ts'
