// Opens and clicks, for the pages that show them.

export { countClicksByTarget, countPeople, groupedEngagementEvents } from './sql.ts'
