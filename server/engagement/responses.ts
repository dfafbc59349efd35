// Who opened and clicked, for pages that show it.

export { clicksByTarget, groupedEngagementEvents, peopleOf, responsesOf } from './sql.ts'
