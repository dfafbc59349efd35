// Opens and clicks, for the pages that show them.

export { clicksByTarget, groupedEngagementEvents, peopleOf } from './sql.ts'
