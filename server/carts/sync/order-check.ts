import { setTimeout as sleep } from 'node:timers/promises'
import { keepsAll } from '../../../shared/capture-mode.ts'
import { recordOrders } from '../carts/record.ts'
import { lastCaptureChoice } from '../../shoppers/consent/capture-choice.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { found } from '../../core/common/errors.ts'
import { asideForPages, inPlace, type StepAside } from '../../core/common/seats.ts'
import type { Deps } from '../../deps.ts'
import { notifyOnce } from '../../access/notifications/notifications.ts'
import type { StoreClient } from '../../platforms/platform/platform.ts'
import { reachJob } from '../../access/plugin/jobs.ts'
import { readPlugin } from '../../access/plugin/plugin.ts'
import { isReporting } from '../../access/plugin/rules.ts'
import { storeAccess } from '../../access/stores/access.ts'
import {
  before,
  hasHung,
  isFresh,
  newest as newestOf,
  nextTry,
  nextWatermark,
  ORDER_CHECK_LIMIT_MS,
  ORDER_CHECK_OVERLAP_MS,
  ORDER_CHECK_REACH_MS,
  PENDING_HOLDS_MS,
  PENDING_LIMIT_MS,
} from '../../access/stores/rules.ts'
import { readStore, type StoreRow } from '../../access/stores/store.ts'
import { noteUnreached, pushOnlyPlugin } from './push-only.ts'
import { type Ended, OutOfTime, runSyncJob, type SyncJob } from './sync-jobs.ts'
import { readStreams, saveProgress } from './sync-sql.ts'

// D3: no message leaves without an order pull of its store that started at most 60 s ago and reached its last page.

/** How long the unpaid orders may take. Tests make it shorter. */
export const pendingLimit = { ms: PENDING_LIMIT_MS }

export interface OrderCheck {
  isFresh: boolean
  /** When the newest complete pull had started; null when none ever was complete. */
  pulledAt: Date | null
}

/** A probe and a pull, and a little. */
const LEASE_MS = 2 * ORDER_CHECK_LIMIT_MS + 5_000
/** How often a second caller looks whether the pull under way is through. */
const LOOK_EVERY_MS = 100

export interface Checking {
  signal?: AbortSignal
  stepAside?: StepAside
}

/**
 * Pulls unless a fresh pull exists, or one has just failed; waits for one under way. Never throws for what a store does wrong: it is then
 * not fresh. The pull ends after `ORDER_CHECK_LIMIT_MS`, or when `signal` says so before.
 */
export async function checkOrders(
  deps: Deps,
  storeId: string,
  { signal, stepAside = inPlace }: Checking = {},
): Promise<OrderCheck> {
  const store = { storeId, db: deps.db }
  const limited = () => AbortSignal.any([AbortSignal.timeout(ORDER_CHECK_LIMIT_MS), ...(signal ? [signal] : [])])
  const patience = limited()
  for (;;) {
    const { isDue, ...orderCheck } = await readOrderCheck(store, deps.now())
    if (!isDue || patience.aborted) return orderCheck
    const result = await runSyncJob(
      deps,
      { storeId, stream: 'order_check', leaseMs: LEASE_MS, lastStart: orderCheck.pulledAt },
      (run) => readOrders(run, { limited, stepAside }),
    )
    if (result.kind !== 'busy') {
      await followUp(deps, store, result.kind)
      const { isFresh, pulledAt } = await readOrderCheck(store, deps.now())
      return { isFresh, pulledAt }
    }
    await stepAside(() => sleep(LOOK_EVERY_MS))
  }
}

/** A shop that does not answer any more is to report its orders itself; one that answers again need not. */
async function followUp(deps: Deps, store: StoreDb<Db>, kind: 'done' | 'failed' | 'refused'): Promise<void> {
  if (kind === 'failed') await noteUnreached(deps, store)
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
  const plugin = await pushOnlyPlugin(store)
  const isReported = plugin !== null && isReporting(plugin, now)
  return { isFresh: false, pulledAt, isDue: !isReported && (!state || nextTry(state, now) <= now) }
}

interface Reading {
  /** Ends when the next request has taken long enough. */
  limited: () => AbortSignal
  stepAside: StepAside
}

async function readOrders(run: SyncJob, reading: Reading): Promise<Ended> {
  const client = await storeAccess(run.deps, run.store)
  // A shop that hung is spared a list of a hundred orders until it answers a request that costs it little.
  if (hasHung(run.state)) await probe(run, client, reading)
  return pull(run, client, reading)
}

async function probe({ startedAt }: SyncJob, client: StoreClient, { limited, stepAside }: Reading): Promise<void> {
  const limit = limited()
  const newestOnly = { modifiedSince: startedAt.toISOString(), pageSize: 1, signal: limit }
  try {
    for await (const _ of asideForPages(client.orders(newestOnly), stepAside)) break
  } catch (error) {
    if (limit.aborted) throw new OutOfTime()
    throw error
  }
}

async function pull(run: SyncJob, client: StoreClient, { limited, stepAside }: Reading): Promise<Ended> {
  const { deps, store, state, startedAt } = run
  const limit = limited()
  const row = found(await readStore(store), 'Store')
  const since = state.watermark
    ? before(state.watermark, ORDER_CHECK_OVERLAP_MS)
    : before(row.connected_at, ORDER_CHECK_REACH_MS)
  let seen: Date | null = null
  let reached: Date | undefined
  let rowsSeen = 0
  try {
    const pages = client.orders({ modifiedSince: since.toISOString(), signal: limit })
    for await (const page of asideForPages(pages, stepAside)) {
      await recordOrders(deps, store.storeId, page.rows, 'sync')
      seen = newestOf([seen, ...page.rows.map((order) => new Date(order.modifiedAt))])
      reached = page.resumeFrom ? new Date(page.resumeFrom) : reached
      rowsSeen += page.rows.length
      limit.throwIfAborted()
    }
    if (await mayBeLeftOut(run, row)) await pullPending(run, client, { limit, stepAside })
  } catch (error) {
    // Not a failed page but our own limit: the pages read so far are complete, and the next pull goes on behind them.
    if (limit.aborted) throw new OutOfTime(nextWatermark(state.watermark, reached ?? null, startedAt) ?? undefined)
    throw error
  }
  return { watermark: nextWatermark(state.watermark, seen, startedAt), rowsSeen }
}

/** Whether unpaid orders, or their contacts, may have been left out (C9): now, or before the owner chose to keep them. */
async function mayBeLeftOut({ store, startedAt }: SyncJob, row: StoreRow): Promise<boolean> {
  if (!keepsAll(row.before_consent)) return true
  const chosenAt = await lastCaptureChoice(store)
  return chosenAt !== null && chosenAt > before(startedAt, PENDING_HOLDS_MS)
}

/**
 * Shoppers who have agreed since their order was left out get no messages while they may be paying it (S4). A shop with so many unpaid orders
 * that they take too long is not kept from sending: the next check goes on where this one ended, and the owner hears of it.
 */
async function pullPending(
  run: SyncJob,
  client: StoreClient,
  { limit, stepAside }: { limit: AbortSignal; stepAside: StepAside },
): Promise<void> {
  const { deps, store, state, startedAt } = run
  const ownLimit = AbortSignal.timeout(pendingLimit.ms)
  const signal = AbortSignal.any([limit, ownLimit])
  const start = before(startedAt, PENDING_HOLDS_MS)
  let from = newestOf([start, state.pending_from])
  try {
    const query = { modifiedSince: (from ?? start).toISOString(), list: 'pending' as const, signal }
    for await (const page of asideForPages(client.orders(query), stepAside)) {
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
