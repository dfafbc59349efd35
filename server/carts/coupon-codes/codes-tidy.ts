import type { z } from 'zod'
import { openStoreClient } from '../../access/stores/access.ts'
import { before, NIGHTLY_EVERY_MS, RETRY_AFTER_MS } from '../../access/stores/rules.ts'
import { keepSlot, type StepAside } from '../../core/common/concurrency.ts'
import type { Deps } from '../../deps.ts'
import type { StoreClient } from '../../platforms/platform/platform.ts'
import { renewLease, runSyncJob, type SyncJob, type SyncResult } from '../sync/sync-jobs.ts'
import { tidyCodesJob } from './codes-jobs.ts'
import { buildCodeMark } from './codes-rules.ts'
import * as sql from './codes-tidy-sql.ts'

// Deletes unneeded codes from the store (decision 34), so that they do not fill the shop's coupon list. A row is marked
// only after the store confirmed the deletion, so an unanswered one is retried.

const KEPT_AFTER_EXPIRY_MS = 7 * 86_400_000
/** Longer than a store works on one request. */
const MAX_STORE_MS = 10 * 60_000
const BATCH = 100

/** Tick: queues one job per store without a cleanup within a day. */
export async function enqueueCodeCleanups(deps: Deps): Promise<void> {
  const now = deps.now()
  const due = { now, daily: before(now, NIGHTLY_EVERY_MS), retry: before(now, RETRY_AFTER_MS) }
  for (const storeId of await sql.selectStoresToTidy(deps.db, due)) {
    await deps.jobs.enqueue(deps.db, tidyCodesJob, { storeId }, storeId)
  }
}

/** Job. */
export function deleteUnneededCodes(
  deps: Deps,
  { storeId }: z.infer<typeof tidyCodesJob.payload>,
  stepAside: StepAside = keepSlot,
): Promise<SyncResult> {
  return runSyncJob(deps, { storeId, stream: 'coupon_tidy' }, async (run) => {
    const client = await openStoreClient(deps, run.store, stepAside)
    let rowsSeen = 0
    for (let after: sql.UnneededCode | null = null; ; ) {
      const spare: sql.UnneededCode[] = await sql.selectUnneededCodes(run.store, {
        expiredBefore: before(deps.now(), KEPT_AFTER_EXPIRY_MS),
        askedBefore: before(deps.now(), MAX_STORE_MS),
        after,
        limit: BATCH,
      })
      after = spare.at(-1) ?? null
      if (!after) return { rowsSeen }
      await deleteCodes(run, client, spare)
      rowsSeen += spare.length
      await renewLease(run)
    }
  })
}

async function deleteCodes(run: SyncJob, client: StoreClient, spare: readonly sql.UnneededCode[]): Promise<void> {
  const { deps, store } = run
  const isGone = (code: sql.UnneededCode, gone: readonly string[]) =>
    code.platform_id === null ? code.attempts === 0 : gone.includes(code.platform_id)
  const ids = spare.flatMap((code) => code.platform_id ?? [])
  const gone = ids.length > 0 ? await client.deleteCoupons(ids) : []
  const done = spare.filter((code) => isGone(code, gone))
  // After several requests the code may exist twice; after an unanswered one, once.
  const isDoubtful = (code: sql.UnneededCode) => code.attempts > (code.platform_id === null ? 0 : 1)
  await sql.markDeleted(
    store,
    done.filter((code) => !isDoubtful(code)),
    deps.now(),
  )
  for (const code of spare.filter(isDoubtful)) {
    if (await deleteByMark(client, code)) await sql.markDeleted(store, [code], deps.now())
    await renewLease(run)
  }
}

const MOST_TWINS = 5

/** Finds it by code and mark. */
async function deleteByMark(client: StoreClient, { code, currency, message_id }: sql.UnneededCode): Promise<boolean> {
  for (let twin = 0; twin < MOST_TWINS; twin += 1) {
    const found = await client.couponByCode(code, currency)
    if (found?.mark !== buildCodeMark(message_id)) return true
    await client.deleteCoupons([found.couponId])
  }
  return false
}
