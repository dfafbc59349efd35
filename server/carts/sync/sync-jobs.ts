import { KEYS_UNREADABLE } from '../../../shared/access/store-problems.ts'
import { notifyOnce } from '../../access/notifications/public.ts'
import { addMs, needsOwner } from '../../access/stores/public.ts'
import { AppError } from '../../core/common/public.ts'
import { type Db, isDatabaseUnavailable, retryUntilAvailable, type StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { StoreProblem } from '../../platforms/platform/public.ts'
import * as sql from './sync-sql.ts'

// Runs one stream of a store, at most once at a time, and always records how the run ended.

/** A run without progress for this long may be replaced. Every page renews the lease. */
export const LEASE_MS = 60_000

export interface SyncJob {
  deps: Deps
  store: StoreDb<Db>
  stream: sql.Stream
  startedAt: Date
  /** State at the start of the run. */
  state: sql.SyncState
}

export interface RunResult {
  watermark?: Date | null
  rowCount: number
}

export type SyncResult =
  | { kind: 'done'; rowCount: number }
  | { kind: 'busy' }
  | { kind: 'failed'; problem: StoreProblem }
  /** The store is disconnected, or its keys cannot be decrypted. */
  | { kind: 'refused'; error: AppError }

/** Our own time limit ended. Completely read pages count. */
export class OutOfTime extends Error {
  override name = 'OutOfTime'
  readonly watermark: Date | undefined
  constructor(watermark?: Date) {
    super('the sync took longer than its limit')
    this.watermark = watermark
  }
}

export interface SyncTarget {
  storeId: string
  stream: sql.Stream
  leaseMs?: number
  /** Start of the newest complete run that the caller knows. If another has completed since, the result is busy. */
  lastStart?: Date | null
}

export async function runSyncJob(
  deps: Deps,
  target: SyncTarget,
  work: (run: SyncJob) => Promise<RunResult>,
): Promise<SyncResult> {
  const store = { storeId: target.storeId, db: deps.db }
  const now = deps.now()
  const until = addMs(now, target.leaseMs ?? LEASE_MS)
  const state = await sql.takeLease(store, { stream: target.stream, lastStart: target.lastStart, now, until })
  if (!state) return { kind: 'busy' }
  const run = { deps, store, stream: target.stream, startedAt: now, state }
  try {
    const { watermark, rowCount } = await work(run)
    const reached = watermark === undefined ? {} : { watermark }
    await sql.completeSyncJob(store, run, { ...reached, rows_seen: rowCount, now: deps.now() })
    return { kind: 'done', rowCount }
  } catch (error) {
    return settleFailure(run, error)
  }
}

async function settleFailure(run: SyncJob, error: unknown): Promise<SyncResult> {
  const { deps, store } = run
  const now = deps.now()
  if (error instanceof OutOfTime) {
    const reached = error.watermark ? { watermark: error.watermark } : {}
    await sql.failSyncJob(store, run, { now, code: 'timeout', detail: null, ...reached })
    return { kind: 'failed', problem: new StoreProblem('timeout', null, { cause: error }) }
  }
  if (error instanceof StoreProblem) {
    deps.log.warn({ storeId: store.storeId, stream: run.stream, problem: error.code }, 'store.sync_failed')
    await sql.failSyncJob(store, run, { now, code: error.code, detail: error.detail })
    await notifyRefused(run, error, now)
    return { kind: 'failed', problem: error }
  }
  if (error instanceof AppError) {
    if (error.code === 'store_credentials') {
      const failure = { code: KEYS_UNREADABLE, detail: null }
      await sql.failSyncJob(store, run, { now, ...failure })
      await notifyRefused(run, failure, now)
    } else await sql.releaseLease(store, run)
    return { kind: 'refused', error }
  }
  // An error of ours or a database outage. A failure to record it must not hide the original error.
  const fail = () => sql.failSyncJob(store, run, { now, code: 'internal', detail: null })
  await fail().catch((problem) => {
    // Otherwise others would wait for the lease to end, and nothing would be sent meanwhile (D3).
    if (isDatabaseUnavailable(problem))
      void retryUntilAvailable(fail).catch((err) => deps.log.warn({ err }, 'store.run-not-ended'))
  })
  throw error
}

/** Notifies at once, and once a day per cause, of errors that only the owner can fix. */
async function notifyRefused({ store, state }: SyncJob, { code, detail }: Refusal, at: Date): Promise<void> {
  if (!needsOwner(code) || state.error_code === code) return
  const key = `${code} ${at.toISOString().slice(0, 10)}`
  if (!COUPON_STREAMS.includes(state.stream)) {
    return void (await notifyOnce(store, { type: 'store_check_failed', key, data: { code, detail }, at }))
  }
  // A missing permission affects this stream only. The screen reports that of reads, and the sweep reports general
  // errors.
  if (state.stream === 'coupons' || !isMissingPermission(code)) return
  const data = { code, detail, about: 'coupons' as const }
  await notifyOnce(store, { type: 'store_check_failed', key: `coupons ${key}`, data, at })
}

const COUPON_STREAMS: readonly sql.Stream[] = ['coupons', 'coupon_codes', 'coupon_tidy']
/** Error codes for a missing permission. */
const RIGHTS: ReadonlySet<string> = new Set(['read_only_key', 'no_rights', 'shopify_scopes_missing'])
export const isMissingPermission = (code: string) => RIGHTS.has(code)

interface Refusal {
  code: string
  detail: string | null
}

/**
 * Renews the lease after a page. Ends the run if the lease is lost: the store was disconnected, or we were too slow.
 */
export async function renewLease(run: SyncJob, progress: sql.Progress = {}): Promise<void> {
  const lease_until = addMs(run.deps.now(), LEASE_MS)
  const isOurs = await sql.saveProgress(run.store, run, { ...progress, lease_until })
  if (!isOurs) throw new AppError('conflict', 'Another sync of this store took over.')
}
