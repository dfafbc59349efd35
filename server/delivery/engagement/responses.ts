// Opens and clicks, for the pages that show them.

export { clicksByTarget, countPeople, groupedEngagementEvents } from './sql.ts'
