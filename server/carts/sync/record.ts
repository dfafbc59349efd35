import { isHanging, ORDER_CHECK_LIMIT_MS, openStoreClient, readStore } from '../../access/stores/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type StoreClient, StoreProblem } from '../../platforms/platform/public.ts'
import { clearFailure, recordFailure } from './failures-sql.ts'
import { readStreams } from './sync-sql.ts'

// Reads one record that a webhook named. Its job occupies a slot of the queue while the store answers. So a store has
// one such slot (`onePerStore`), for 20 seconds, and none while it hangs (D8).

/**
 * Returns null if the record does not exist or the store is not connected. Fails at once for a hanging store: the queue
 * retries for a minute, and the next sweep reads the change (Y2).
 */
export async function readRecord<Row>(
  deps: Pick<Deps, 'db' | 'now' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
  read: (client: StoreClient, signal: AbortSignal) => Promise<Row | null>,
): Promise<Row | null> {
  if (!(await readStore(store))?.is_active) return null
  const streams = await readStreams(store)
  if (isHanging(streams, deps.now())) throw new StoreProblem('timeout', 'not asked: it hangs')
  const client = await openStoreClient(deps, store)
  try {
    const row = await read(client, AbortSignal.timeout(ORDER_CHECK_LIMIT_MS))
    const known = streams.find(({ stream }) => stream === 'record_check')
    if (known?.error_code) await clearFailure(store, 'record_check', deps.now())
    return row
  } catch (error) {
    if (error instanceof StoreProblem && error.code === 'timeout') {
      const failure = { stream: 'record_check' as const, problem: error.code, detail: error.detail }
      await recordFailure(store, { ...failure, now: deps.now() })
    }
    throw error
  }
}
