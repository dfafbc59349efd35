import type { StoreView } from '../../shared/stores.ts'
import type { Deps } from '../deps.ts'
import { readPlugin } from '../plugin/plugin.ts'
import { isAlive } from '../plugin/rules.ts'
import { presentStore } from '../stores/present.ts'
import type { StoreRow } from '../stores/store.ts'

/** A store as its members see it, with how its carts are reported. */
export async function viewStore({ db, now }: Pick<Deps, 'db' | 'now'>, row: StoreRow): Promise<StoreView> {
  const plugin = await readPlugin({ storeId: row.id, db })
  return presentStore(row, { hasPlugin: isAlive(plugin, now()) })
}
