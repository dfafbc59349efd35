import type { Deps } from '../../deps.ts'
import { foldCustomerCounts } from './counts-sql.ts'

/** Tick: folds the counters, so that a total reads only a few rows. */
export function tidyCustomerCounts(deps: Deps): Promise<void> {
  return foldCustomerCounts(deps.db)
}
