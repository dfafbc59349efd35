import type { Deps } from '../../deps.ts'
import * as sql from './link-tokens-sql.ts'

/** Few enough that no transaction is long. */
const SLICE = 1_000

/** Links that open nothing any more. Answers how many were deleted. */
export async function deleteExpiredTokens(deps: Deps, slice = SLICE): Promise<number> {
  const now = deps.now()
  for (let deleted = 0; ; ) {
    const count = await sql.deleteExpired(deps.db, now, slice)
    deleted += count
    if (count < slice) return deleted
  }
}
