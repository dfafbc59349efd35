import type { Db, StoreDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { type PluginRow, queueWake, readPlugin } from '../../access/plugin/plugin.ts'
import { FAILURES, isPushOnly, isReporting } from '../../access/plugin/rules.ts'
import { readStreams } from './sync-sql.ts'

// A shop that is not reached: all that is known of it comes from its plugin.

/** null: the shop is asked itself. */
export async function pushOnlyPlugin(store: StoreDb<Db>): Promise<PluginRow | null> {
  const plugin = await readPlugin(store)
  if (!plugin || plugin.ended_at) return null
  return isPushOnly(plugin, await orderCheckOf(store)) ? plugin : null
}

/** undefined: the shop is asked itself. Otherwise whether its plugin reports what messages need. */
export async function readsByReports(store: StoreDb<Db>, now: Date): Promise<boolean | undefined> {
  const plugin = await pushOnlyPlugin(store)
  return plugin ? isReporting(plugin, now) : undefined
}

/** Its orders, stock or prices could not be read once more: the plugin is asked for them at once, where it can still be woken. */
export async function noteUnreached(deps: Deps, store: StoreDb<Db>): Promise<void> {
  const check = await orderCheckOf(store)
  if (check?.failures === FAILURES) await queueWake(deps, store, 'check')
}

const orderCheckOf = async (store: StoreDb<Db>) =>
  (await readStreams(store)).find(({ stream }) => stream === 'order_check')
