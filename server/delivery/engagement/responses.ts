// Who opened and clicked, for pages that show it.

export { clicksByTarget, groupedEngagementEvents, peopleOf } from './sql.ts'
