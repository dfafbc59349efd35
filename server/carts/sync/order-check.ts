import { setTimeout as sleep } from 'node:timers/promises'
import { isStoringEverything } from '../../../shared/shoppers/capture-mode.ts'
import { notifyOnce } from '../../access/notifications/public.ts'
import { isReporting, reachJob, readPlugin } from '../../access/plugin/public.ts'
import {
  computeNextTry,
  findNextWatermark,
  hasTimedOut,
  isFresh,
  ORDER_CHECK_LIMIT_MS,
  ORDER_CHECK_OVERLAP_MS,
  ORDER_CHECK_REACH_MS,
  openStoreClient,
  PENDING_HOLDS_MS,
  PENDING_LIMIT_MS,
  pickNewest,
  readStore,
  type StoreRow,
  subtractMs,
} from '../../access/stores/public.ts'
import { keepSlot, type ReleaseSlot, releaseForPages, requireFound } from '../../core/common/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { StoreClient } from '../../platforms/platform/public.ts'
import { findLastCaptureChoice } from '../../shoppers/consent/public.ts'
import { recordOrders } from '../carts/public.ts'
import { OutOfTime, type RunResult, runSyncJob, type SyncJob } from './sync-jobs.ts'
import { readStreams, saveProgress } from './sync-sql.ts'
import { readPushOnlyPlugin, requestReports } from './unreachable.ts'

// The order check (D3): a message needs a complete read of its store's orders that started at most 60 s ago.

/** Time limit for unpaid orders. Tests shorten it. */
export const pendingLimit = { ms: PENDING_LIMIT_MS }

export interface OrderCheck {
  isFresh: boolean
  /** Start of the newest complete read; null if there was none. */
  pulledAt: Date | null
}

/** Enough for a probe, a read and a margin. */
const LEASE_MS = 2 * ORDER_CHECK_LIMIT_MS + 5_000
/** Interval at which a second caller checks whether the running read has ended. */
const POLL_EVERY_MS = 100

export interface OrderCheckOptions {
  signal?: AbortSignal
  releaseSlot?: ReleaseSlot
}

/**
 * Reads the store's orders unless a fresh read exists or one just failed. Waits for a running one. Never throws for an
 * error of the store: the result is then not fresh. Ends after `ORDER_CHECK_LIMIT_MS` or when `signal` aborts.
 */
export async function checkOrders(
  deps: Deps,
  store: StoreDb<Db>,
  { signal, releaseSlot = keepSlot }: OrderCheckOptions = {},
): Promise<OrderCheck> {
  const createLimit = () => AbortSignal.any([AbortSignal.timeout(ORDER_CHECK_LIMIT_MS), ...(signal ? [signal] : [])])
  const deadline = createLimit()
  for (;;) {
    const { isDue, ...orderCheck } = await readOrderCheck(store, deps.now())
    if (!isDue || deadline.aborted) return orderCheck
    const result = await runSyncJob(
      deps,
      { storeId: store.storeId, stream: 'order_check', leaseMs: LEASE_MS, lastStart: orderCheck.pulledAt },
      (run) => readOrders(run, { createLimit, releaseSlot }),
    )
    if (result.kind !== 'busy') {
      await updateReachability(deps, store, result.kind)
      const { isFresh, pulledAt } = await readOrderCheck(store, deps.now())
      return { isFresh, pulledAt }
    }
    await releaseSlot(() => sleep(POLL_EVERY_MS))
  }
}

/** Asks the plugin of an unreachable shop to report its orders, and checks whether a shop is reachable again. */
async function updateReachability(
  deps: Pick<Deps, 'jobs'>,
  store: StoreDb<Db>,
  kind: 'done' | 'failed' | 'refused',
): Promise<void> {
  if (kind === 'failed') await requestReports(deps, store)
  if (kind !== 'done') return
  const plugin = await readPlugin(store)
  if (plugin && !plugin.ended_at && plugin.is_reached === false) {
    await deps.jobs.enqueue(store.db, reachJob, { storeId: store.storeId }, store.storeId)
  }
}

async function readOrderCheck(store: StoreDb<Db>, now: Date): Promise<OrderCheck & { isDue: boolean }> {
  const state = (await readStreams(store)).find(({ stream }) => stream === 'order_check')
  const pulledAt = state?.completed_start ?? null
  if (isFresh(pulledAt, now)) return { isFresh: true, pulledAt, isDue: false }
  const plugin = await readPushOnlyPlugin(store)
  const isReported = plugin !== null && isReporting(plugin, now)
  return { isFresh: false, pulledAt, isDue: !isReported && (!state || computeNextTry(state, now) <= now) }
}

interface ReadContext {
  /** Creates the time limit for the next request. */
  createLimit: () => AbortSignal
  releaseSlot: ReleaseSlot
}

async function readOrders(run: SyncJob, reading: ReadContext): Promise<RunResult> {
  const client = await openStoreClient(run.deps, run.store)
  // A shop that hung must answer a cheap request before it is asked for a hundred orders.
  if (hasTimedOut(run.state)) await probe(run, client, reading)
  return readChangedOrders(run, client, reading)
}

async function probe(
  { startedAt }: SyncJob,
  client: StoreClient,
  { createLimit, releaseSlot }: ReadContext,
): Promise<void> {
  const limit = createLimit()
  const newestOnly = { modifiedSince: startedAt.toISOString(), pageSize: 1, signal: limit }
  try {
    for await (const _ of releaseForPages(client.orders(newestOnly), releaseSlot)) break
  } catch (error) {
    if (limit.aborted) throw new OutOfTime()
    throw error
  }
}

async function readChangedOrders(
  run: SyncJob,
  client: StoreClient,
  { createLimit, releaseSlot }: ReadContext,
): Promise<RunResult> {
  const { deps, store, state, startedAt } = run
  const limit = createLimit()
  const row = requireFound(await readStore(store), 'Store')
  const since = state.watermark
    ? subtractMs(state.watermark, ORDER_CHECK_OVERLAP_MS)
    : subtractMs(row.connected_at, ORDER_CHECK_REACH_MS)
  let newest: Date | null = null
  let reached: Date | undefined
  let rowCount = 0
  try {
    const pages = client.orders({ modifiedSince: since.toISOString(), signal: limit })
    for await (const page of releaseForPages(pages, releaseSlot)) {
      await recordOrders(deps, store.storeId, page.rows, 'sync')
      newest = pickNewest([newest, ...page.rows.map((order) => new Date(order.modifiedAt))])
      reached = page.resumeFrom ? new Date(page.resumeFrom) : reached
      rowCount += page.rows.length
      limit.throwIfAborted()
    }
    if (await hasSkippedOrders(run, row)) await readPendingOrders(run, client, { limit, releaseSlot })
  } catch (error) {
    // Our own limit, not a failed page: all pages so far are complete, so the next read continues behind them.
    if (limit.aborted) throw new OutOfTime(findNextWatermark(state.watermark, reached ?? null, startedAt) ?? undefined)
    throw error
  }
  return { watermark: findNextWatermark(state.watermark, newest, startedAt), rowCount }
}

/** Whether unpaid orders or their contacts may have been left out (C9), now or before the owner chose to keep them. */
async function hasSkippedOrders({ store, startedAt }: SyncJob, row: StoreRow): Promise<boolean> {
  if (!isStoringEverything(row.before_consent)) return true
  const chosenAt = await findLastCaptureChoice(store)
  return chosenAt !== null && chosenAt > subtractMs(startedAt, PENDING_HOLDS_MS)
}

/**
 * Reads unpaid orders again. Shoppers who consented after their order was left out get no messages while it may be paid
 * (S4). If that takes too long, messages are sent anyway: the next check continues there, and the owner is notified.
 */
async function readPendingOrders(
  run: SyncJob,
  client: StoreClient,
  { limit, releaseSlot }: { limit: AbortSignal; releaseSlot: ReleaseSlot },
): Promise<void> {
  const { deps, store, state, startedAt } = run
  const ownLimit = AbortSignal.timeout(pendingLimit.ms)
  const signal = AbortSignal.any([limit, ownLimit])
  const start = subtractMs(startedAt, PENDING_HOLDS_MS)
  let from = pickNewest([start, state.pending_from])
  try {
    const query = { modifiedSince: (from ?? start).toISOString(), list: 'pending' as const, signal }
    for await (const page of releaseForPages(client.orders(query), releaseSlot)) {
      await recordOrders(deps, store.storeId, page.rows, 'sync')
      if (page.resumeFrom) from = new Date(page.resumeFrom)
      signal.throwIfAborted()
    }
    from = null
  } catch (error) {
    if (limit.aborted || !ownLimit.aborted) throw error
    deps.log.warn({ storeId: store.storeId }, 'store.pending_orders_not_read')
    const data = { code: 'timeout', detail: null, about: 'unpaid orders' as const }
    const key = `unpaid orders ${startedAt.toISOString().slice(0, 10)}`
    await notifyOnce(store, { type: 'store_check_failed', key, data, at: startedAt })
  } finally {
    if (from?.getTime() !== state.pending_from?.getTime()) await saveProgress(store, run, { pending_from: from })
  }
}
