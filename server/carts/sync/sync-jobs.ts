import { KEYS_UNREADABLE } from '../../../shared/store-problems.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { isDatabaseAway, outlast } from '../../core/db/db-away.ts'
import { AppError } from '../../core/common/errors.ts'
import type { Deps } from '../../deps.ts'
import { notifyOnce } from '../../access/notifications/notifications.ts'
import { StoreProblem } from '../../platforms/platform/store-problem.ts'
import { after, isForOwner } from '../../access/stores/rules.ts'
import * as sql from './sync-sql.ts'

// One run of one stream of one store: at most one at a time, its end written down whatever happens.

/** How long a run may stay silent before another one may begin; every page renews it. */
export const LEASE_MS = 60_000

export interface SyncJob {
  deps: Deps
  store: StoreDb<Db>
  stream: sql.Stream
  startedAt: Date
  /** As it was when the run began. */
  state: sql.SyncState
}

export interface Ended {
  watermark?: Date | null
  rowsSeen: number
}

export type SyncResult =
  | { kind: 'done'; rowsSeen: number }
  | { kind: 'busy' }
  | { kind: 'failed'; problem: StoreProblem }
  /** The store was disconnected, or its keys do not open. */
  | { kind: 'refused'; error: AppError }

/** Our own patience ended. What was read completely by then counts. */
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
  /** When the newest complete run had started, for a caller who runs because of it. Where another has completed since, it is busy. */
  lastStart?: Date | null
}

export async function runSyncJob(
  deps: Deps,
  target: SyncTarget,
  work: (run: SyncJob) => Promise<Ended>,
): Promise<SyncResult> {
  const store = { storeId: target.storeId, db: deps.db }
  const now = deps.now()
  const until = after(now, target.leaseMs ?? LEASE_MS)
  const state = await sql.takeLease(store, { stream: target.stream, lastStart: target.lastStart, now, until })
  if (!state) return { kind: 'busy' }
  const run = { deps, store, stream: target.stream, startedAt: now, state }
  try {
    const { watermark, rowsSeen } = await work(run)
    const reached = watermark === undefined ? {} : { watermark }
    await sql.completeSyncJob(store, run, { ...reached, rows_seen: rowsSeen, now: deps.now() })
    return { kind: 'done', rowsSeen }
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
    await tellRefused(run, error, now)
    return { kind: 'failed', problem: error }
  }
  if (error instanceof AppError) {
    if (error.code === 'store_credentials') {
      const failure = { code: KEYS_UNREADABLE, detail: null }
      await sql.failSyncJob(store, run, { now, ...failure })
      await tellRefused(run, failure, now)
    } else await sql.releaseLease(store, run)
    return { kind: 'refused', error }
  }
  // A mistake of ours or a database that is away; saying so must not hide what it was.
  const fail = () => sql.failSyncJob(store, run, { now, code: 'internal', detail: null })
  await fail().catch((problem) => {
    // Others would wait for the lease's end, and nothing would be sent meanwhile (D3).
    if (isDatabaseAway(problem)) void outlast(fail).catch((err) => deps.log.warn({ err }, 'store.run-not-ended'))
  })
  throw error
}

/** What the owner alone can mend is told at once, and once a day for each cause: the alarm waits to see whether it passes. */
async function tellRefused({ store, state }: SyncJob, { code, detail }: Refusal, at: Date): Promise<void> {
  if (!isForOwner(code) || state.error_code === code) return
  const key = `${code} ${at.toISOString().slice(0, 10)}`
  if (!COUPON_STREAMS.includes(state.stream)) {
    return void (await notifyOnce(store, { type: 'store_check_failed', key, data: { code, detail }, at }))
  }
  // A key that may not do this does for everything else. Of reading them the screen says it; whatever is wrong with all, the sweep tells.
  if (state.stream === 'coupons' || !ofRights(code)) return
  const data = { code, detail, about: 'coupons' as const }
  await notifyOnce(store, { type: 'store_check_failed', key: `coupons ${key}`, data, at })
}

const COUPON_STREAMS: readonly sql.Stream[] = ['coupons', 'coupon_codes', 'coupon_tidy']
/** What a key may not do. */
const RIGHTS: ReadonlySet<string> = new Set(['read_only_key', 'no_rights', 'shopify_scopes_missing'])
export const ofRights = (code: string) => RIGHTS.has(code)

interface Refusal {
  code: string
  detail: string | null
}

/** After a page: the lease lives on. Ends the run when it is not ours any more (the store was disconnected, or we were too slow). */
export async function keepGoing(run: SyncJob, progress: sql.Progress = {}): Promise<void> {
  const lease_until = after(run.deps.now(), LEASE_MS)
  const isOurs = await sql.saveProgress(run.store, run, { ...progress, lease_until })
  if (!isOurs) throw new AppError('conflict', 'Another sync of this store took over.')
}
