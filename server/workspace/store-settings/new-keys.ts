import { capabilities, type PlatformName } from '../../../shared/platforms.ts'
import type { AccountTx } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import type { StoreKeys } from '../../platforms/platform/access.ts'
import { keepKeys } from '../../access/stores/access.ts'
import { KEY_PROBLEMS } from '../../access/stores/rules.ts'
import { importJob, webhooksJob } from '../../carts/sync/jobs.ts'
import { endLeases, ensureStreams, forgetFailures } from '../../carts/sync/streams.ts'
import { markForRenewal } from '../../carts/sync/webhooks.ts'

interface NewKeysOf {
  id: string
  platform: PlatformName
}

/**
 * Keeps keys that were just proven, and has the store read with them at once. What was refused to the keys before does not hold any
 * more, and a reading that still runs with them changes nothing. A webhook's deliveries are made in the name of the user whose key
 * created it, so the webhooks are made anew.
 */
export async function takeKeys(
  deps: Deps,
  tx: AccountTx,
  { id: storeId, platform }: NewKeysOf,
  keys: StoreKeys,
): Promise<void> {
  const store = { storeId, db: tx.db }
  await keepKeys(deps, tx, storeId, keys)
  await ensureStreams(store, capabilities[platform].checkouts)
  await endLeases(store)
  await forgetFailures(store, KEY_PROBLEMS)
  await markForRenewal(store)
  await deps.jobs.enqueue(tx.db, importJob, { storeId }, storeId)
  await deps.jobs.enqueue(tx.db, webhooksJob, { storeId }, storeId)
}
