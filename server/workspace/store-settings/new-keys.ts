import { capabilities, type PlatformName } from '../../../shared/platforms/platforms.ts'
import { KEY_PROBLEMS, saveKeys } from '../../access/stores/public.ts'
import {
  clearFailures,
  endLeases,
  ensureStreams,
  importJob,
  markForRenewal,
  webhooksJob,
} from '../../carts/sync/public.ts'
import type { AccountTx } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { StoreKeys } from '../../platforms/platform/public.ts'

interface NewKeysOf {
  id: string
  platform: PlatformName
}

/**
 * Stores proven keys and starts reading with them. Earlier rejections no longer count, and a running read with the old
 * keys has no effect.
 * Webhooks are created again, because WooCommerce delivers them as the user whose key created them.
 */
export async function saveProvenKeys(
  deps: Pick<Deps, 'jobs' | 'now' | 'secrets'>,
  tx: AccountTx,
  { id: storeId, platform }: NewKeysOf,
  keys: StoreKeys,
): Promise<void> {
  const store = { storeId, db: tx.db }
  await saveKeys(deps, tx, storeId, keys)
  await ensureStreams(store, capabilities[platform].checkouts)
  await endLeases(store)
  await clearFailures(store, KEY_PROBLEMS)
  await markForRenewal(store)
  await deps.jobs.enqueue(tx.db, importJob, { storeId }, storeId)
  await deps.jobs.enqueue(tx.db, webhooksJob, { storeId }, storeId)
}
