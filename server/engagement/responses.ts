// Who opened and clicked, for pages that show it.

export { groupedEngagementEvents, responsesOf } from './sql.ts'
