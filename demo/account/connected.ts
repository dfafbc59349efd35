import { isConnectedBy } from '../../server/access/stores/access.ts'
import { listStores, type StoreRow } from '../../server/access/stores/store.ts'
import type { Deps } from '../../server/deps.ts'
import type { StoreKeys } from '../../server/platforms/platform/access.ts'

interface Sought {
  storeUrl: string
  keys: StoreKeys
}

/** The account's store as it is, when its address and keys are still the same. */
export async function connectedStore(
  deps: Deps,
  accountId: string,
  { storeUrl, keys }: Sought,
): Promise<StoreRow | undefined> {
  const stores = await listStores({ accountId, db: deps.db })
  const store = stores.find((each) => each.is_active && each.url === storeUrl)
  if (!store) return undefined
  return (await isConnectedBy(deps, { storeId: store.id, db: deps.db }, keys)) ? store : undefined
}
