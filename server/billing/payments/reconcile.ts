import type { z } from 'zod'
import type { Deps } from '../../deps.ts'
import * as sql from './events-sql.ts'
import { refreshJob, type trialEndingJob } from './jobs.ts'
import { refreshAccount } from './refresh.ts'

// What Stripe's events did not tell is found by looking: every account once a day, and whenever somebody opens Billing (decision 83).

const HOUR_MS = 3_600_000
/** So that each is looked at every day, whenever the tick comes. */
const STALE_MS = 20 * HOUR_MS
const AT_ONCE = 50
/** Whoever opens a page waits no longer for Stripe. */
const PATIENCE_MS = 3_000
const FRESH_MS = 60_000

/** Tick. Small batches, so that Stripe is not asked for everybody at once. */
export async function reconcileAccounts(deps: Deps): Promise<void> {
  if (!deps.stripe) return
  const now = deps.now().getTime()
  const wanted = { before: new Date(now - STALE_MS), failedBefore: new Date(now - HOUR_MS), limit: AT_ONCE }
  for (const accountId of await sql.staleAccounts(deps.db, wanted)) {
    await deps.jobs.enqueue(deps.db, refreshJob, { accountId }, accountId)
  }
}

/** By the jobs. */
export const refreshByJob = (deps: Deps, { accountId }: z.infer<typeof refreshJob.payload>) =>
  refreshAccount(deps, accountId)
export const refreshTrial = (deps: Deps, { accountId }: z.infer<typeof trialEndingJob.payload>) =>
  refreshAccount(deps, accountId, { isTrialEnding: true })

/**
 * Brings the copy up to date where it is older than a minute, and asks once a minute while that fails. A Stripe that does not answer in time, or not at all, leaves the copy as it is;
 * what comes later is written down all the same.
 */
export async function freshen(deps: Deps, accountId: string, patienceMs = PATIENCE_MS): Promise<void> {
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
