// Suppressions by shoppers and by providers.

export { hasUnsubscribed, insertSuppression, splitStopAll, suppress, unsuppress } from './unsubscribe-sql.ts'
