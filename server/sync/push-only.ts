import type { Db, StoreDb } from '../core/db.ts'
import type { Deps } from '../deps.ts'
import { type PluginRow, queueWake, readPlugin } from '../plugin/plugin.ts'
import { FAILURES, isPushOnly } from '../plugin/rules.ts'
import { readStreams } from './sync-sql.ts'

// A shop that is not reached: all that is known of it comes from its plugin.

/** null: the shop is asked itself. */
export async function pushOnlyPlugin(store: StoreDb<Db>): Promise<PluginRow | null> {
  const plugin = await readPlugin(store)
  if (!plugin || plugin.ended_at) return null
  return isPushOnly(plugin, await orderCheckOf(store)) ? plugin : null
}

/** Its orders, stock or prices could not be read once more: the plugin is asked for them at once, where it can still be woken. */
export async function noteUnreached(deps: Deps, store: StoreDb<Db>): Promise<void> {
  const check = await orderCheckOf(store)
  if (check?.failures === FAILURES) await queueWake(deps, store, 'check')
}

const orderCheckOf = async (store: StoreDb<Db>) =>
  (await readStreams(store)).find(({ stream }) => stream === 'order_check')
