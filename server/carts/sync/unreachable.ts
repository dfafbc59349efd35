import { FAILURES, isPushOnly, isReporting, type PluginRow, queueWake, readPlugin } from '../../access/plugin/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { readStreams } from './sync-sql.ts'

// Shops that Recoup cannot reach: all data comes from their plugin.

/** The plugin of an unreachable shop; null if the shop is queried itself. */
export async function readPushOnlyPlugin(store: StoreDb<Db>): Promise<PluginRow | null> {
  const plugin = await readPlugin(store)
  if (!plugin || plugin.ended_at) return null
  return isPushOnly(plugin, await readOrderCheckState(store)) ? plugin : null
}

/** Whether an unreachable shop's plugin reports what messages need; undefined if the shop is queried itself. */
export async function isReportedByPlugin(store: StoreDb<Db>, now: Date): Promise<boolean | undefined> {
  const plugin = await readPushOnlyPlugin(store)
  return plugin ? isReporting(plugin, now) : undefined
}

/** After another failed read of orders, stock or prices: asks the plugin to report them, if it can still be reached. */
export async function requestReports(deps: Pick<Deps, 'jobs'>, store: StoreDb<Db>): Promise<void> {
  const check = await readOrderCheckState(store)
  if (check?.failures === FAILURES) await queueWake(deps, store, 'check')
}

const readOrderCheckState = async (store: StoreDb<Db>) =>
  (await readStreams(store)).find(({ stream }) => stream === 'order_check')
