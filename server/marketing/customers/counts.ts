import type { Deps } from '../../deps.ts'
import { foldCustomerCounts } from './counts-sql.ts'

/** Tick: keeps the counters of the list short, so that a total stays a sum of a few rows. */
export function tidyCustomerCounts(deps: Deps): Promise<void> {
  return foldCustomerCounts(deps.db)
}
