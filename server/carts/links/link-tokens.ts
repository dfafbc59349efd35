import type { Deps } from '../../deps.ts'
import * as sql from './link-tokens-sql.ts'

/** Keeps transactions short. */
const SLICE = 1_000

/** Deletes expired links. Returns their number. */
export async function deleteExpiredTokens(deps: Deps, slice = SLICE): Promise<number> {
  const now = deps.now()
  for (let deleted = 0; ; ) {
    const count = await sql.deleteExpired(deps.db, now, slice)
    deleted += count
    if (count < slice) return deleted
  }
}
