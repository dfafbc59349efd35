import { readInput } from '../../access/http/public.ts'
import {
  changePlugin,
  computeReadAt,
  explainReach,
  isPushOnly,
  isReachUncertain,
  keepReported,
  listNeededGoods,
  type PluginRow,
  reachJob,
  readPlugin,
} from '../../access/plugin/public.ts'
import {
  ORDER_CHECK_OVERLAP_MS,
  ORDER_CHECK_REACH_MS,
  pickNewest,
  readStore,
  subtractMs,
} from '../../access/stores/public.ts'
import { recordOrders } from '../../carts/carts/public.ts'
import { completeReported, readStreams } from '../../carts/sync/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { wakeAfterOrderCheck } from '../../messages/messages/public.ts'
import { findPluginProtocol } from '../../platforms/registry/public.ts'
import type { Caller } from './caller.ts'
import { readSettings } from './settings.ts'
import { type Beat, Beat as BeatBody } from './wire.ts'
import { offeredUpdate } from './zip.ts'

// The plugin's heartbeat, hourly or on request; the answer carries all our instructions. A shop that we cannot reach
// includes its orders, with stock and prices for waiting messages: the order check of its messages (D3).

const REACH_AGAIN_MS = 10 * 60_000
const HOUR_S = 3_600
const MINUTE_S = 60

export async function processBeat(deps: Deps, caller: Caller, raw: unknown) {
  const body = readInput(BeatBody, raw)
  const now = deps.now()
  const plugin = requireFound(await readPlugin(caller), 'Plugin')
  const isSameQueue = plugin.install === body.install
  await changePlugin(caller, {
    beat_at: now,
    health: JSON.stringify(body.health) as never,
    version: body.plugin,
    ...(isSameQueue ? {} : { install: body.install, highest_seq: 0 }),
  })
  if (body.orders) await storeReport(deps, caller, plugin, body.orders)
  const { isDoubted, report } = await readReportRequest(deps, caller)
  if (report || plugin.is_reached !== true) await queueReach(deps, caller, plugin)
  return {
    settings: await readSettings(deps, caller),
    reach: describeReach(plugin, report !== null),
    update: await offeredUpdate(deps.config.publicUrl, body.plugin),
    seq: isSameQueue ? plugin.highest_seq : 0,
    ask: {
      test: plugin.test_asked !== plugin.test_seen ? plugin.test_asked : null,
      // A heartbeat from a scheduled task proves that these run.
      everyS: isDoubted || body.health.cronS === null ? MINUTE_S : HOUR_S,
      ordersSince: report?.since.toISOString() ?? null,
      at: now.toISOString(),
      goods: report?.goods.map(({ productId, variationId }) => ({ product: productId, variation: variationId })) ?? [],
    },
  }
}

/** null: not checked yet. */
function describeReach(plugin: PluginRow, isPushing: boolean) {
  if (isPushing) return { isReached: false, reason: explainReach(plugin) }
  return plugin.is_reached === null ? null : { isReached: true }
}

/** Retries every ten minutes whether the shop can be reached again. */
async function queueReach(
  deps: Pick<Deps, 'jobs' | 'now'>,
  caller: Caller,
  { reach_checked_at: at }: PluginRow,
): Promise<void> {
  const isDue = !at || at <= subtractMs(deps.now(), REACH_AGAIN_MS)
  if (isDue) await deps.jobs.enqueue(caller.db, reachJob, { storeId: caller.storeId }, caller.storeId)
}

/** `report`: null while the shop is reached and its orders are read. */
async function readReportRequest(deps: Pick<Deps, 'now'>, caller: Caller) {
  const [store, plugin, streams] = await Promise.all([readStore(caller), readPlugin(caller), readStreams(caller)])
  const check = streams.find(({ stream }) => stream === 'order_check')
  if (!store || !plugin || !isPushOnly(plugin, check)) {
    if (plugin?.orders_since) await changePlugin(caller, { orders_since: null })
    return { isDoubted: plugin !== undefined && isReachUncertain(plugin, check), report: null }
  }
  const since =
    plugin.orders_since ??
    (check?.watermark
      ? subtractMs(check.watermark, ORDER_CHECK_OVERLAP_MS)
      : subtractMs(store.connected_at, ORDER_CHECK_REACH_MS))
  if (!plugin.orders_since) await changePlugin(caller, { orders_since: since })
  return { isDoubted: true, report: { since, goods: await listNeededGoods(caller, deps.now()) } }
}

/** Counts as an order check only if it starts where requested and is complete. */
async function storeReport(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets'>,
  caller: Caller,
  plugin: PluginRow,
  report: NonNullable<Beat['orders']>,
) {
  const since = plugin.orders_since
  const store = requireFound(await readStore(caller), 'Store')
  const platform = findPluginProtocol(store.platform)
  const { orders, refused, latest } = platform.orders(report.list)
  if (refused.length > 0) deps.log.warn({ storeId: caller.storeId, skipped: refused.length }, 'store.rows_skipped')
  const now = deps.now()
  const startedAt = computeReadAt(report, now)
  await recordOrders(deps, caller.storeId, orders, 'plugin')
  await changePlugin(caller, { reports_goods: report.goods !== undefined })
  await keepReported(caller, platform.terms(report.goods ?? [], store.currency), startedAt)
  if (!since || !(new Date(report.since) <= since)) return
  if (!report.isComplete) {
    // Skips unreadable orders as well; otherwise a page of only those would be requested forever.
    await changePlugin(caller, { orders_since: pickNewest([latest, since]) })
    return
  }
  const reached = pickNewest(orders.map((order) => new Date(order.modifiedAt)))
  const watermark = reached && reached > startedAt ? startedAt : reached
  await transact(caller, async (tx) => {
    await completeReported(tx, { startedAt, now, watermark })
    await changePlugin(tx, { orders_since: null })
    await wakeAfterOrderCheck(tx, now)
  })
}
