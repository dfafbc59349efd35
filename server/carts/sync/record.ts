import type { Db, StoreDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import type { StoreClient } from '../../platforms/platform/platform.ts'
import { StoreProblem } from '../../platforms/platform/store-problem.ts'
import { storeAccess } from '../../access/stores/access.ts'
import { isHanging, ORDER_CHECK_LIMIT_MS } from '../../access/stores/rules.ts'
import { readStore } from '../../access/stores/store.ts'
import { forgetFailure, noteFailure } from './failures-sql.ts'
import { readStreams } from './sync-sql.ts'

// One record that a webhook named. The job holds its place while the store is asked, because the queue keeps it until it is done. So a store
// has one such place (`onePerStore`), for 20 seconds, and none while it hangs (D8).

/**
 * null: the store has none, or is not connected. A store that hangs is not asked: the job fails at once. The queue tries it again for a
 * minute; later the next sweep reads what has changed (Y2).
 */
export async function readRecord<Row>(
  deps: Deps,
  store: StoreDb<Db>,
  read: (client: StoreClient, signal: AbortSignal) => Promise<Row | null>,
): Promise<Row | null> {
  if (!(await readStore(store))?.is_active) return null
  const streams = await readStreams(store)
  if (isHanging(streams, deps.now())) throw new StoreProblem('timeout', 'not asked: it hangs')
  const client = await storeAccess(deps, store)
  try {
    const row = await read(client, AbortSignal.timeout(ORDER_CHECK_LIMIT_MS))
    const known = streams.find(({ stream }) => stream === 'record_check')
    if (known?.error_code) await forgetFailure(store, 'record_check', deps.now())
    return row
  } catch (error) {
    if (error instanceof StoreProblem && error.code === 'timeout') {
      const failure = { stream: 'record_check' as const, problem: error.code, detail: error.detail }
      await noteFailure(store, { ...failure, now: deps.now() })
    }
    throw error
  }
}
