import { recordOrders } from '../carts/record.ts'
import { found } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import { readInput } from '../http/input.ts'
import { pluginOf } from '../platforms/registry.ts'
import { reachJob } from '../plugin/jobs.ts'
import { changePlugin, type PluginRow, readPlugin } from '../plugin/plugin.ts'
import { isPushOnly, reachReason } from '../plugin/rules.ts'
import { before, newest, ORDER_CHECK_OVERLAP_MS, ORDER_CHECK_REACH_MS } from '../stores/rules.ts'
import { readStore } from '../stores/store.ts'
import { completeReported, readStreams } from '../sync/streams.ts'
import type { Caller } from './caller.ts'
import { readSettings } from './settings.ts'
import { type Beat, Beat as BeatBody } from './wire.ts'
import { offeredUpdate } from './zip.ts'

// The plugin's report, once an hour and whenever it is asked for sooner. In its answer is all that we want to say to the shop. A shop
// that we do not reach reports its orders too, which is the order check of its messages (D3).

const REACH_AGAIN_MS = 10 * 60_000
const HOUR_S = 3_600
const MINUTE_S = 60

export async function takeBeat(deps: Deps, caller: Caller, raw: unknown) {
  const body = readInput(BeatBody, raw)
  const plugin = found(await readPlugin(caller), 'Plugin')
  const isSameQueue = plugin.install === body.install
  await changePlugin(caller, {
    beat_at: deps.now(),
    health: JSON.stringify(body.health) as never,
    version: body.plugin,
    ...(isSameQueue ? {} : { install: body.install, highest_seq: 0 }),
  })
  if (body.orders) await takeReport(deps, caller, plugin, body.orders)
  const now = deps.now()
  const isReachDue = !plugin.reach_checked_at || plugin.reach_checked_at <= before(now, REACH_AGAIN_MS)
  if (plugin.is_reached !== true && isReachDue) {
    await deps.jobs.enqueue(caller.db, reachJob, { storeId: caller.storeId }, caller.storeId)
  }
  const ordersSince = await askForOrders(caller)
  return {
    settings: await readSettings(deps, caller),
    reach: ordersSince ? { isReached: false, reason: reachReason(plugin) } : { isReached: true },
    update: await offeredUpdate(deps.config.publicUrl, body.plugin),
    seq: isSameQueue ? plugin.highest_seq : 0,
    ask: {
      test: plugin.test_asked !== plugin.test_seen ? plugin.test_asked : null,
      everyS: ordersSince ? MINUTE_S : HOUR_S,
      ordersSince: ordersSince?.toISOString() ?? null,
    },
  }
}

/** null: the shop is reached, and its orders are read. */
async function askForOrders(caller: Caller): Promise<Date | null> {
  const [store, plugin, streams] = await Promise.all([readStore(caller), readPlugin(caller), readStreams(caller)])
  const check = streams.find(({ stream }) => stream === 'order_check')
  if (!store || !plugin || !isPushOnly(plugin, check)) {
    if (plugin?.orders_since) await changePlugin(caller, { orders_since: null })
    return null
  }
  if (plugin.orders_since) return plugin.orders_since
  const since = check?.watermark
    ? before(check.watermark, ORDER_CHECK_OVERLAP_MS)
    : before(store.connected_at, ORDER_CHECK_REACH_MS)
  await changePlugin(caller, { orders_since: since })
  return since
}

/** Counts as a reading of the orders only from where it was asked for, and to its end. */
async function takeReport(deps: Deps, caller: Caller, plugin: PluginRow, report: NonNullable<Beat['orders']>) {
  const asked = plugin.orders_since
  const store = found(await readStore(caller), 'Store')
  const { orders, refused } = pluginOf(store.platform).orders(report.list)
  if (refused.length > 0) deps.log.warn({ storeId: caller.storeId, skipped: refused.length }, 'store.rows_skipped')
  const now = deps.now()
  await recordOrders(deps, caller.storeId, orders, 'plugin')
  if (!asked || !(new Date(report.since) <= asked)) return
  const reached = newest(orders.map((order) => new Date(order.modifiedAt)))
  if (!report.isComplete) {
    await changePlugin(caller, { orders_since: newest([reached, asked]) })
    return
  }
  const startedAt = new Date(now.getTime() - report.age * 1_000)
  const watermark = reached && reached > startedAt ? startedAt : reached
  await completeReported(caller, { startedAt, now, watermark })
  await changePlugin(caller, { orders_since: null })
}
