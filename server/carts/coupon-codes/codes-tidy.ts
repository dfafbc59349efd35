import type { z } from 'zod'
import { storeAccess } from '../../access/stores/access.ts'
import { before, NIGHTLY_EVERY_MS, RETRY_AFTER_MS } from '../../access/stores/rules.ts'
import { inPlace, type StepAside } from '../../core/common/seats.ts'
import type { Deps } from '../../deps.ts'
import type { StoreClient } from '../../platforms/platform/platform.ts'
import { renewLease, runSyncJob, type SyncJob, type SyncResult } from '../sync/sync-jobs.ts'
import { tidyCodesJob } from './codes-jobs.ts'
import { markOf } from './codes-rules.ts'
import * as sql from './codes-tidy-sql.ts'

// Codes nobody needs any more are taken out of the store (decision 34): a shop's list never fills up with ours. A row is marked when the
// store has said that its code is gone, so that a deletion without an answer is asked for again.

const KEPT_AFTER_EXPIRY_MS = 7 * 86_400_000
/** Longer than any store works on one request. */
const STORE_IS_DONE_MS = 10 * 60_000
const BATCH = 100

/** Tick: wakes one job per store that was not tidied for a day. */
export async function enqueueTidyCodes(deps: Deps): Promise<void> {
  const now = deps.now()
  const due = { now, daily: before(now, NIGHTLY_EVERY_MS), retry: before(now, RETRY_AFTER_MS) }
  for (const storeId of await sql.storesToTidy(deps.db, due)) {
    await deps.jobs.enqueue(deps.db, tidyCodesJob, { storeId }, storeId)
  }
}

/** Job. */
export function tidyCodes(
  deps: Deps,
  { storeId }: z.infer<typeof tidyCodesJob.payload>,
  stepAside: StepAside = inPlace,
): Promise<SyncResult> {
  return runSyncJob(deps, { storeId, stream: 'coupon_tidy' }, async (run) => {
    const client = await storeAccess(deps, run.store, stepAside)
    let rowsSeen = 0
    for (let after: sql.SpareCode | null = null; ; ) {
      const spare: sql.SpareCode[] = await sql.spareCodes(run.store, {
        expiredBefore: before(deps.now(), KEPT_AFTER_EXPIRY_MS),
        askedBefore: before(deps.now(), STORE_IS_DONE_MS),
        after,
        limit: BATCH,
      })
      after = spare.at(-1) ?? null
      if (!after) return { rowsSeen }
      await takeOut(run, client, spare)
      rowsSeen += spare.length
      await renewLease(run)
    }
  })
}

async function takeOut(run: SyncJob, client: StoreClient, spare: readonly sql.SpareCode[]): Promise<void> {
  const { deps, store } = run
  const isGone = (code: sql.SpareCode, gone: readonly string[]) =>
    code.platform_id === null ? code.attempts === 0 : gone.includes(code.platform_id)
  const ids = spare.flatMap((code) => code.platform_id ?? [])
  const gone = ids.length > 0 ? await client.deleteCoupons(ids) : []
  const done = spare.filter((code) => isGone(code, gone))
  // Asked for more than once, it may stand there twice; asked for without an answer, once.
  const isDoubtful = (code: sql.SpareCode) => code.attempts > (code.platform_id === null ? 0 : 1)
  await sql.noteDeleted(
    store,
    done.filter((code) => !isDoubtful(code)),
    deps.now(),
  )
  for (const code of spare.filter(isDoubtful)) {
    if (await isTakenOut(client, code)) await sql.noteDeleted(store, [code], deps.now())
    await renewLease(run)
  }
}

const MOST_TWINS = 5

/** By its code and our mark. */
async function isTakenOut(client: StoreClient, { code, currency, message_id }: sql.SpareCode): Promise<boolean> {
  for (let twin = 0; twin < MOST_TWINS; twin += 1) {
    const found = await client.couponByCode(code, currency)
    if (found?.mark !== markOf(message_id)) return true
    await client.deleteCoupons([found.couponId])
  }
  return false
}
