import type { Deps } from '../../deps.ts'
import { foldCustomerCounts } from './counts-sql.ts'

/** Tick: folds the counters, so that a total reads only a few rows. */
export function foldCustomerListCounts(deps: Deps): Promise<void> {
  return foldCustomerCounts(deps.db)
}
