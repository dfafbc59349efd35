import type { z } from 'zod'
import { noteTest } from '../../access/notifications/public.ts'
import { changePlugin, queueWake, type reachJob, readPlugin, type yieldJob } from '../../access/plugin/public.ts'
import {
  ORDER_CHECK_LIMIT_MS,
  openStoreClient,
  readStore,
  type StoreRow,
  toProfileColumns,
  updateStore,
} from '../../access/stores/public.ts'
import { clearCheckFailures, importJob } from '../../carts/sync/public.ts'
import { AppError, keepSlot, type ReleaseSlot } from '../../core/common/public.ts'
import { type Db, type StoreDb, sql, transact, transactAccount } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { wakeAfterOrderCheck } from '../../messages/messages/public.ts'
import { StoreProblem } from '../../platforms/platform/public.ts'
import { disconnectStore, enqueueYield } from '../store-settings/public.ts'

// Checks whether Recoup can reach a shop connected by its plugin. Until then its address is unproven, and another
// account that proves it takes it over.

const LIMIT_MS = 30_000

/** Job: runs after connecting, and again with later heartbeats. */
export async function reachShop(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets' | 'storeClient'>,
  { storeId }: z.infer<typeof reachJob.payload>,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<void> {
  const store = { storeId, db: deps.db as Db }
  const [row, plugin] = await Promise.all([readStore(store), readPlugin(store)])
  if (!row?.is_active || !plugin || plugin.ended_at) return
  const problem = await checkShop(deps, { store, row }, releaseSlot)
  const reach = {
    is_reached: problem === null,
    reach_code: problem?.code ?? null,
    reach_detail: problem?.detail ?? null,
  }
  const unreached_since = problem ? (plugin.unreached_since ?? deps.now()) : null
  await changePlugin(store, { ...reach, unreached_since, reach_checked_at: deps.now() })
  if (problem) {
    deps.log.info({ storeId, problem: problem.code }, 'plugin.shop-not-reached')
    return
  }
  await transact(store, async (tx) => {
    await clearCheckFailures(tx)
    await wakeAfterOrderCheck(tx, deps.now())
    // Once for each connection, and when a shop is reached for the first time (decision 130).
    if (plugin.is_reached === null || !row.is_address_proven) await noteTest(deps, tx, 'store', row.url)
  })
  // Reads at once what was rejected or failed before.
  await deps.jobs.enqueue(deps.db, importJob, { storeId }, storeId)
  await queueWake(deps, store, 'connected')
}

interface Problem {
  code: string
  detail: string | null
}

/** null: reached, and the address is proven. */
async function checkShop(
  deps: Pick<Deps, 'db' | 'jobs' | 'now' | 'secrets' | 'storeClient'>,
  { store, row }: { store: StoreDb; row: StoreRow },
  releaseSlot: ReleaseSlot,
): Promise<Problem | null> {
  try {
    const client = await openStoreClient(deps, store, releaseSlot)
    const profile = await client.readProfile(AbortSignal.timeout(LIMIT_MS))
    // A shop that answers for its profile but not its orders cannot serve messages (D3). The time limit is that of an
    // order check.
    const signal = AbortSignal.timeout(ORDER_CHECK_LIMIT_MS)
    for await (const _ of client.orders({ modifiedSince: deps.now().toISOString(), signal })) break
    if (profile.homeUrl !== row.home_url) return { code: 'moved', detail: profile.homeUrl }
    const account = { accountId: row.account_id, db: deps.db as Db }
    await transactAccount(account, async (tx) => {
      await updateStore(tx, row.id, { ...toProfileColumns(profile), url: profile.storeUrl })
      await proveAddress({ storeId: row.id, db: tx.db })
      await enqueueYield(deps, tx, row.home_url)
    })
    return null
  } catch (error) {
    if (error instanceof StoreProblem) return { code: error.code, detail: error.detail }
    if (error instanceof AppError) return { code: error.code, detail: null }
    if ((error as { constraint?: string }).constraint === 'stores_url_key')
      return { code: 'other_account', detail: null }
    if ((error as Error).name === 'TimeoutError') return { code: 'timeout', detail: null }
    throw error
  }
}

/** Job: another account has proven that the shop is theirs. */
export async function yieldStore(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets' | 'storeClient'>,
  { storeId }: z.infer<typeof yieldJob.payload>,
): Promise<void> {
  const store = { storeId, db: deps.db as Db }
  const row = await readStore(store)
  if (!row?.is_active || row.is_address_proven) return
  await disconnectStore(deps, store, 'other_account')
  deps.log.warn({ storeId }, 'plugin.store-yielded')
}

// SQL for connection codes.

/** Marks the address as proven; the unique index rejects a second store. */
async function proveAddress({ db, storeId }: StoreDb): Promise<void> {
  await sql`update stores set is_address_proven = true where id = ${storeId} and not is_address_proven`.execute(db)
}
