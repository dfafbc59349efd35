import type { EndedStore, StoreView } from '../../../shared/access/stores.ts'
import { isAlive, readPlugin } from '../../access/plugin/public.ts'
import { presentStore, RETENTION_MS, type StoreRow } from '../../access/stores/public.ts'
import type { Deps } from '../../deps.ts'

/** The member's view of a store, with how its carts are reported. */
export async function viewStore({ db, now }: Pick<Deps, 'db' | 'now'>, row: StoreRow): Promise<StoreView> {
  const plugin = await readPlugin({ storeId: row.id, db })
  return presentStore(row, { hasPlugin: isAlive(plugin, now()) })
}

/** The store disconnected last, while a reconnection restores its data (decision 24). */
export function endedStore(stores: StoreRow[], now: Date): EndedStore | null {
  const getEndTime = ({ disconnected_at: at }: StoreRow) => at?.getTime() ?? 0
  const [row] = stores
    .filter((each) => !each.is_active && getEndTime(each) + RETENTION_MS > now.getTime())
    .sort((one, other) => getEndTime(other) - getEndTime(one))
  if (!row) return null
  return {
    id: row.id,
    platform: row.platform,
    store_url: row.home_url,
    name: row.name,
    by: row.disconnected_by,
    at: new Date(getEndTime(row)).toISOString(),
    keptUntil: new Date(getEndTime(row) + RETENTION_MS).toISOString(),
  }
}
