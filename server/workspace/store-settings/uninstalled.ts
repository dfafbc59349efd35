import type { z } from 'zod'
import { notify } from '../../access/notifications/public.ts'
import { needsOwner, openStoreClient, readStore } from '../../access/stores/public.ts'
import { uninstalledJob } from '../../carts/sync/public.ts'
import { AppError } from '../../core/common/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { StoreProblem } from '../../platforms/platform/public.ts'
import { PROFILE_LIMIT_MS } from './connect.ts'
import { disconnectStore } from './stores.ts'

const MAX_TRIES = 11

/**
 * Job: the shop has revoked our access. Cancels its messages and keeps its data, as after every disconnect (decision
 * 24). The webhook may be late: a shop that still answers was reconnected meanwhile.
 */
export async function disconnectUninstalled(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets' | 'storeClient'>,
  { storeId, tries = 0 }: z.infer<typeof uninstalledJob.payload>,
): Promise<void> {
  const store = { storeId, db: deps.db }
  const row = await readStore(store)
  if (!row?.is_active) return
  const isReachable = await canReachShop(deps, store)
  if (isReachable === null) return retryLater(deps, storeId, tries + 1)
  if (isReachable) return
  await disconnectStore(deps, store, 'uninstall')
  await notify(store, { type: 'store_uninstalled', data: { url: row.home_url }, at: deps.now() })
}

/** null: it cannot be asked now. */
async function canReachShop(
  deps: Pick<Deps, 'db' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
): Promise<boolean | null> {
  try {
    const client = await openStoreClient(deps, store)
    await client.readProfile(AbortSignal.timeout(PROFILE_LIMIT_MS))
    return true
  } catch (error) {
    if (error instanceof StoreProblem) return needsOwner(error.code) ? false : null
    if (error instanceof AppError) return false
    if ((error as Error).name === 'TimeoutError') return null
    throw error
  }
}

/** The queue itself retries only five times. Retries after 4, 8, 16 … seconds, for about two hours. */
async function retryLater(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now'>,
  storeId: string,
  tries: number,
): Promise<void> {
  deps.log.warn({ storeId, tries }, 'store.uninstall_not_checked')
  if (tries > MAX_TRIES) return
  const at = new Date(deps.now().getTime() + 2_000 * 2 ** tries)
  await deps.jobs.enqueue(deps.db, uninstalledJob, { storeId, tries }, storeId, at)
}
