import type { z } from 'zod'
import { pluginTexts } from '../../../shared/platforms/plugin-texts.ts'
import { explainReach, explainUnreached, isReporting, type PluginRow } from '../../access/plugin/public.ts'
import * as rules from '../../access/stores/public.ts'
import * as storeSql from '../../access/stores/public.ts'
import { homeColumns, openStoreClient, toAppError, toProfileColumns } from '../../access/stores/public.ts'
import { AppError, keepSlot, type ReleaseSlot, requireFound } from '../../core/common/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { OrderQuery, StoreProblem } from '../../platforms/platform/public.ts'
import { recordOrders } from '../carts/public.ts'
import { pullCheckouts } from './checkouts.ts'
import { readHealth } from './health.ts'
import { importJob, type orderJob, purgeJob, syncJob, webhooksJob } from './jobs.ts'
import { pullCoupons, pullCustomers, pullProducts, withTimeLimit } from './local-copies.ts'
import { isTooSoonForNewOrders, queueNewOrders } from './new-orders.ts'
import { isEmpty, readOrderPages } from './pages.ts'
import { readRecord } from './record.ts'
import { LEASE_MS, renewLease, runSyncJob, type SyncJob, type SyncResult } from './sync-jobs.ts'
import * as sql from './sync-sql.ts'
import { readPushOnlyPlugin } from './unreachable.ts'
import { deleteOldEvents } from './webhook-sql.ts'

// Reads stores: the first import, the sweep that repairs missed webhooks (Y2), and the schedule. Pages are recorded as
// they arrive (`recordOrders` is idempotent). The watermark moves after the last page.

type StorePayload = z.infer<typeof syncJob.payload>

/** Job. Reads recent changes first, so that today's carts need not wait for ninety days of orders. */
export async function importStore(
  deps: Deps,
  { storeId }: StorePayload,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<void> {
  const swept = await sweepStore(deps, { storeId, releaseSlot })
  if (swept.kind === 'failed' || swept.kind === 'refused') return
  // Checkouts precede the ninety days of orders, so that today's carts appear first.
  const checkouts = await pullCheckouts(deps, { storeId, releaseSlot })
  if (checkouts.kind === 'failed' || checkouts.kind === 'refused') return
  const imported = await importOrders(deps, storeId, releaseSlot)
  if (imported.kind !== 'done') return
  await pullCoupons(deps, { storeId, isFull: true, releaseSlot })
  await pullProducts(deps, { storeId, isFull: true, releaseSlot })
  await pullCustomers(deps, { storeId, releaseSlot })
}

/** Job, every 15 minutes. Once a day it also does the daily work. */
export async function syncStore(
  deps: Deps,
  { storeId }: StorePayload,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<void> {
  const store = { storeId, db: deps.db }
  const streams = await sql.readStreams(store)
  const isNightly = isNightlyDue(streams, deps.now())
  if (isNightly) await releaseSlot(() => refreshProfile(deps, store))
  const swept = await sweepStore(deps, { storeId, isNightly, releaseSlot })
  if (swept.kind !== 'done') return
  await pullCheckouts(deps, { storeId, releaseSlot })
  await pullCoupons(deps, { storeId, isFull: isNightly, releaseSlot })
  await pullProducts(deps, { storeId, isFull: isNightly, releaseSlot })
  const customers = streams.find((each) => each.stream === 'customers')
  if (isNightly || !customers?.completed_at || customers.cursor_page)
    await pullCustomers(deps, { storeId, releaseSlot })
  if (isNightly) await deleteOldEvents(store, rules.subtractMs(deps.now(), rules.RETENTION_MS))
}

/** "Sync now": does what fits into a request; the periodic sync does the rest. */
export async function syncNow(deps: Deps, store: StoreDb<Db>, limitMs = 25_000) {
  const signal = AbortSignal.timeout(limitMs)
  // The owner may just have granted write access.
  if ((await storeSql.readStore(store))?.can_write === false) await refreshProfile(deps, store)
  const options = { storeId: store.storeId, signal }
  const results = [await sweepStore(deps, options)]
  if (results[0]!.kind === 'done') results.push(await pullCheckouts(deps, options))
  const isRead = results[0]!.kind === 'done'
  // Missing permission for coupons does not fail the sync: the coupon list reports it.
  if (isRead) await pullCoupons(deps, { ...options, isFull: true })
  if (isRead) results.push(await pullProducts(deps, options), await pullCustomers(deps, options))
  for (const result of results) {
    if (result.kind === 'refused') throw result.error
    if (result.kind === 'failed' && !signal.aborted) throw await toSyncError(deps, store, result.problem)
  }
  // Our own time limit ended, or another sync waits for the shop.
  if (!isRead) await assertReadable(deps, store)
  const isComplete = results.every((result) => result.kind === 'done')
  if (!isComplete) await deps.jobs.enqueue(deps.db, syncJob, { storeId: store.storeId }, store.storeId)
  const { counts, ageSeconds } = await readHealth(store, deps.now())
  const message = isComplete
    ? 'Everything is up to date.'
    : 'Syncing the store takes a while. It continues in the background.'
  return { success: isComplete, message, counts, ageSeconds }
}

/** If the plugin is active, the store's address is right, so the text does not advise to check it. */
async function toSyncError(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, problem: StoreProblem): Promise<AppError> {
  const plugin = await readPushOnlyPlugin(store)
  if (!plugin) return toAppError(problem)
  return toAppError(problem, () => explainReports(plugin, explainUnreached(problem.code), deps.now()))
}

/** Throws for a shop that Recoup cannot reach: a sync would not end. */
async function assertReadable(deps: Pick<Deps, 'now'>, store: StoreDb<Db>): Promise<void> {
  const plugin = await readPushOnlyPlugin(store)
  if (plugin) throw new AppError('store_unreachable', explainReports(plugin, explainReach(plugin), deps.now()))
}

function explainReports(plugin: PluginRow, reason: string, now: Date): string {
  const reports = isReporting(plugin, now)
    ? 'The plugin reports orders, stock and prices instead.'
    : plugin.reports_goods === false
      ? pluginTexts.updatePlugin
      : `The plugin will report orders with its next call. ${pluginTexts.reportsByCron}`
  return `Recoup cannot read this shop. ${reason} ${reports}`
}

/**
 * Job for a webhook: reads the order again instead of using the body, so that the order of deliveries is irrelevant.
 */
export async function refreshOrder(
  deps: Pick<Deps, 'db' | 'jobs' | 'now' | 'secrets' | 'storeClient'>,
  { storeId, orderId }: z.infer<typeof orderJob.payload>,
): Promise<void> {
  const order = await readRecord(deps, { storeId, db: deps.db }, (client, signal) => client.order(orderId, signal))
  // A missing order is not news: stores delete drafts without notice.
  if (order) await recordOrders(deps, storeId, [order], 'webhook')
}

/**
 * Job after a checkout may have emptied a cart (Y2). Waits if the last read was too recent, which limits forged posts.
 */
export async function readNewOrders(
  deps: Deps,
  { storeId }: StorePayload,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<void> {
  const store = { storeId, db: deps.db }
  if (await isTooSoonForNewOrders(deps, store)) await queueNewOrders(deps, store)
  else await sweepStore(deps, { storeId, releaseSlot })
}

/** Every minute: queues due jobs. A job that is already queued is not queued twice. */
export async function enqueueDueSyncs(deps: Pick<Deps, 'db' | 'jobs' | 'now'>): Promise<void> {
  const now = deps.now()
  const due = await sql.selectDueStreams(deps.db, {
    now,
    lease: rules.addMs(now, 2 * LEASE_MS),
    sweep: rules.subtractMs(now, rules.SWEEP_EVERY_MS),
    retry: rules.subtractMs(now, rules.RETRY_AFTER_MS),
    daily: rules.subtractMs(now, rules.NIGHTLY_EVERY_MS),
    hourly: rules.subtractMs(now, rules.WEBHOOKS_RETRY_MS),
  })
  for (const { store_id, needs_import, needs_sync, needs_webhooks } of due) {
    if (needs_import) await deps.jobs.enqueue(deps.db, importJob, { storeId: store_id }, store_id)
    if (needs_sync) await deps.jobs.enqueue(deps.db, syncJob, { storeId: store_id }, store_id)
    if (needs_webhooks) await deps.jobs.enqueue(deps.db, webhooksJob, { storeId: store_id }, store_id)
  }
  for (const { id } of await storeSql.listStoresToPurge(deps.db, rules.subtractMs(now, rules.RETENTION_MS))) {
    await deps.jobs.enqueue(deps.db, purgeJob, { storeId: id }, id)
  }
}

export interface SweepOptions {
  storeId: string
  isNightly?: boolean
  signal?: AbortSignal
  releaseSlot?: ReleaseSlot
}

export function sweepStore(
  deps: Deps,
  { storeId, isNightly = false, signal, releaseSlot }: SweepOptions,
): Promise<SyncResult> {
  return runSyncJob(deps, { storeId, stream: 'sweep' }, async (run) => {
    const { state, startedAt } = run
    const since = await computeSweepStart(run, isNightly)
    const aborting = signal ? { signal } : {}
    const swept = await recordPages(run, { modifiedSince: since.toISOString(), ...aborting }, { releaseSlot })
    // Trashed orders appear in no other listing.
    if (isNightly)
      await recordPages(run, { modifiedSince: since.toISOString(), list: 'trash', ...aborting }, { releaseSlot })
    return { watermark: rules.findNextWatermark(state.watermark, swept.newest, startedAt), rowCount: swept.rowCount }
  })
}

async function computeSweepStart({ store, state, startedAt }: SyncJob, isNightly: boolean): Promise<Date> {
  const row = requireFound(await storeSql.readStore(store), 'Store')
  const usual = state.watermark
    ? rules.subtractMs(state.watermark, rules.SWEEP_OVERLAP_MS)
    : rules.subtractMs(row.connected_at, rules.NIGHTLY_OVERLAP_MS)
  const nightly = rules.subtractMs(startedAt, rules.NIGHTLY_OVERLAP_MS)
  return isNightly && nightly < usual ? nightly : usual
}

/** Resumable: the watermark moves with every page, because all earlier orders have been read. */
export function importOrders(deps: Deps, storeId: string, releaseSlot?: ReleaseSlot): Promise<SyncResult> {
  return runSyncJob(deps, { storeId, stream: 'import' }, async (run) => {
    const { state, startedAt } = run
    const since = state.watermark ?? rules.subtractMs(startedAt, rules.IMPORT_REACH_MS)
    const { newest, rowCount } = await recordPages(
      run,
      { modifiedSince: since.toISOString() },
      { isResumable: true, releaseSlot },
    )
    return { watermark: rules.findNextWatermark(state.watermark, newest, startedAt), rowCount }
  })
}

/** Pages of an import after which tables are analyzed: a store's first rows may be the database's first. */
const ANALYZE_AFTER_PAGES = new Set([1, 4, 16, 64])

interface RecordOptions {
  isResumable?: boolean
  releaseSlot: ReleaseSlot | undefined
}

async function recordPages(run: SyncJob, query: OrderQuery, { isResumable = false, releaseSlot }: RecordOptions) {
  const { deps, store, startedAt } = run
  const client = await openStoreClient(deps, store)
  let newest: Date | null = null
  let rowCount = 0
  let pages = 0
  for await (const page of withTimeLimit(readOrderPages(client, query), { signal: query.signal, releaseSlot })) {
    if (isEmpty(page)) continue
    await recordOrders(deps, store.storeId, page.rows, 'sync')
    newest = rules.pickNewest([newest, ...page.rows.map((order) => new Date(order.modifiedAt))])
    rowCount += page.rows.length
    if (page.skipped.length > 0) {
      deps.log.warn({ storeId: store.storeId, skipped: page.skipped.length }, 'store.rows_skipped')
    }
    if (isResumable && ANALYZE_AFTER_PAGES.has(++pages)) await sql.analyzeDoubled(store)
    const reached = isResumable && page.resumeFrom ? new Date(page.resumeFrom) : null
    await renewLease(run, reached ? { watermark: rules.pickEarlier(reached, startedAt) } : {})
  }
  return { newest, rowCount }
}

function isNightlyDue(streams: sql.SyncState[], now: Date): boolean {
  const findState = (stream: sql.Stream) => streams.find((each) => each.stream === stream)
  if (!findState('import')?.completed_at) return false
  const last = findState('customers')?.started_at
  return !last || Math.abs(now.getTime() - last.getTime()) >= rules.NIGHTLY_EVERY_MS
}

/** Job: after the permissions of the keys changed, reads the profile and updates the webhooks. */
export async function rereadProfile(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'secrets' | 'storeClient'>,
  { storeId }: StorePayload,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<void> {
  await releaseSlot(() => refreshProfile(deps, { storeId, db: deps.db }))
  await deps.jobs.enqueue(deps.db, webhooksJob, { storeId }, storeId)
}

/** Reads name, currency, countries and versions. Keeps the known values if the store does not answer. */
async function refreshProfile(
  deps: Pick<Deps, 'db' | 'log' | 'secrets' | 'storeClient'>,
  store: StoreDb<Db>,
): Promise<void> {
  const row = await storeSql.readStore(store)
  if (!row?.is_active) return
  try {
    const client = await openStoreClient(deps, store)
    const profile = await client.readProfile(AbortSignal.timeout(45_000))
    const columns = { ...toProfileColumns(profile), ...homeColumns(row.platform, profile) }
    await storeSql.updateStore({ accountId: row.account_id, db: deps.db }, store.storeId, columns)
  } catch (error) {
    if (error instanceof AppError) return
    deps.log.warn({ storeId: store.storeId, err: error }, 'store.profile_not_read')
  }
}
