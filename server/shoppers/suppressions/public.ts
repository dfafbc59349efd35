// What other rooms use.

export { removeImported } from './imported-sql.ts'
export { suppressionRoutes } from './routes.ts'
export { listAliases, type NewEntry, readAddress } from './rules.ts'
export { type EntryRow, selectCountries, selectErased, selectPage } from './sql.ts'
export { suppressImported } from './suppressions.ts'
export { hasUnsubscribed, insertSuppression, splitStopAll, suppress, unsuppress } from './unsubscribe-sql.ts'
