import { isConnectedBy } from '../server/access/stores/access.ts'
import { listStores, type StoreRow } from '../server/access/stores/sql.ts'
import type { Deps } from '../server/deps.ts'
import type { StoreKeys } from '../server/platforms/platform/access.ts'

interface StoreLookup {
  storeUrl: string
  keys: StoreKeys
}

/** Finds the account's store with this address and these keys. */
export async function findConnectedStore(
  deps: Deps,
  accountId: string,
  { storeUrl, keys }: StoreLookup,
): Promise<StoreRow | undefined> {
  const stores = await listStores({ accountId, db: deps.db })
  const store = stores.find((each) => each.is_active && each.url === storeUrl)
  if (!store) return undefined
  return (await isConnectedBy(deps, { storeId: store.id, db: deps.db }, keys)) ? store : undefined
}
