// What other rooms use.

export { resolveFilters } from './audiences.ts'
export { isFiltered, presentFilters, toStoredFilters } from './filters.ts'
export { type AudienceFilter, isCandidate, isNewestMatching } from './fragments.ts'
export { audienceRoutes } from './routes.ts'
export { countMatching } from './sql.ts'
