import type { z } from 'zod'
import type { Db, StoreDb } from '../core/db.ts'
import { AppError } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import { notify } from '../notifications/notifications.ts'
import { StoreProblem } from '../platforms/store-problem.ts'
import { storeAccess } from '../stores/access.ts'
import { isForOwner } from '../stores/rules.ts'
import { readStore } from '../stores/store.ts'
import type { uninstalledJob } from '../sync/jobs.ts'
import { PROFILE_LIMIT_MS } from './connect.ts'
import { disconnectStore } from './stores.ts'

/**
 * Job: the shop has taken our access away. Its messages end at once, its data is kept as after every disconnecting (decision 24). What
 * was delivered late is no truth: a shop that still answers was connected again meanwhile.
 */
export async function endUninstalled(deps: Deps, { storeId }: z.infer<typeof uninstalledJob.payload>): Promise<void> {
  const store = { storeId, db: deps.db }
  const row = await readStore(store)
  if (!row?.is_active || (await isAnswering(deps, store))) return
  await disconnectStore(deps, store, 'uninstall')
  await notify(store, { type: 'store_uninstalled', data: { url: row.home_url }, at: deps.now() })
}

/** A shop that cannot be asked now is asked again by the job's own retry. */
async function isAnswering(deps: Deps, store: StoreDb<Db>): Promise<boolean> {
  try {
    const client = await storeAccess(deps, store)
    await client.readProfile(AbortSignal.timeout(PROFILE_LIMIT_MS))
    return true
  } catch (error) {
    if (error instanceof StoreProblem ? isForOwner(error.code) : error instanceof AppError) return false
    throw error
  }
}
