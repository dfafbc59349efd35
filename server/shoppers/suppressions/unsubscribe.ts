// Suppressions that a person adds and removes, and those a provider reports.

export { hasUnsubscribed, insertSuppression, splitStopAll, suppress, unsuppress } from './unsubscribe-sql.ts'
