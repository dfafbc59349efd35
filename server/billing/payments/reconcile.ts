import type { z } from 'zod'
import type { Deps } from '../../deps.ts'
import * as sql from './events-sql.ts'
import { refreshJob, type trialEndingJob } from './jobs.ts'
import { refreshAccount } from './refresh.ts'

// Finds what Stripe's events did not report: fetches every account once a day, and when a user opens Billing
// (decision 83).

const HOUR_MS = 3_600_000
/** Below a day, so that each account is fetched every day, whenever the tick runs. */
const STALE_MS = 20 * HOUR_MS
const BATCH = 50
/** Longest wait for Stripe when a page is opened. */
const MAX_WAIT_MS = 3_000
const FRESH_MS = 60_000

/** Tick. In small batches, to limit the load on Stripe. */
export async function reconcileAccounts(deps: Pick<Deps, 'db' | 'jobs' | 'now' | 'stripe'>): Promise<void> {
  if (!deps.stripe) return
  const now = deps.now().getTime()
  const filter = { before: new Date(now - STALE_MS), failedBefore: new Date(now - HOUR_MS), limit: BATCH }
  for (const accountId of await sql.selectStaleAccounts(deps.db, filter)) {
    await deps.jobs.enqueue(deps.db, refreshJob, { accountId }, accountId)
  }
}

/** Run by jobs. */
export const refreshByJob = (
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets' | 'stripe'>,
  { accountId }: z.infer<typeof refreshJob.payload>,
) => refreshAccount(deps, accountId)
export const refreshTrial = (
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets' | 'stripe'>,
  { accountId }: z.infer<typeof trialEndingJob.payload>,
) => refreshAccount(deps, accountId, { isTrialEnding: true })

/**
 * Updates the copy if it is older than a minute, and retries once a minute after a failure. If Stripe fails or takes
 * too long, the copy stays as it is; a late answer is still saved.
 */
export async function refreshIfStale(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets' | 'stripe'>,
  accountId: string,
  patienceMs = MAX_WAIT_MS,
): Promise<void> {
  const its = await sql.readCustomer({ accountId, db: deps.db })
  if (!deps.stripe || !its) return
  const isRecent = (at: Date | null) => {
    const age = deps.now().getTime() - (at?.getTime() ?? 0)
    return age >= 0 && age < FRESH_MS
  }
  if (isRecent(its.refreshedAt) || isRecent(its.failedAt)) return
  const refreshed = refreshAccount(deps, accountId).catch((error: unknown) => {
    deps.log.warn({ err: error, accountId }, 'payments.not_refreshed')
  })
  const waited = Promise.withResolvers<void>()
  const timer = setTimeout(waited.resolve, patienceMs)
  await Promise.race([refreshed, waited.promise])
  clearTimeout(timer)
}
