import type { z } from 'zod'
import { NIGHTLY_EVERY_MS, openStoreClient, RETRY_AFTER_MS, subtractMs } from '../../access/stores/public.ts'
import { keepSlot, type ReleaseSlot } from '../../core/common/public.ts'
import { type Db, type StoreDb, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { isOpen, isSending } from '../../messages/messages/public.ts'
import type { StoreClient } from '../../platforms/platform/public.ts'
import { renewLease, runSyncJob, type SyncJob, type SyncResult } from '../sync/public.ts'
import { tidyCodesJob } from './codes-jobs.ts'
import { buildCodeMark } from './codes-rules.ts'

// Deletes unneeded codes from the store (decision 34), so that they do not fill the shop's coupon list. A row is marked
// only after the store confirmed the deletion, so an unanswered one is retried.

const RETENTION_AFTER_EXPIRY_MS = 7 * 86_400_000
/** No store processes one request for longer. */
const MAX_STORE_PROCESSING_MS = 10 * 60_000
const BATCH = 100

/** Tick: queues one job per store without a cleanup within a day. */
export async function enqueueCodeCleanups(deps: Pick<Deps, 'db' | 'jobs' | 'now'>): Promise<void> {
  const now = deps.now()
  const due = { now, daily: subtractMs(now, NIGHTLY_EVERY_MS), retry: subtractMs(now, RETRY_AFTER_MS) }
  for (const storeId of await selectStoresToCleanUp(deps.db, due)) {
    await deps.jobs.enqueue(deps.db, tidyCodesJob, { storeId }, storeId)
  }
}

/** Job. */
export function deleteUnneededCodes(
  deps: Deps,
  { storeId }: z.infer<typeof tidyCodesJob.payload>,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<SyncResult> {
  return runSyncJob(deps, { storeId, stream: 'coupon_tidy' }, async (run) => {
    const client = await openStoreClient(deps, run.store, releaseSlot)
    let rowCount = 0
    for (let after: UnneededCode | null = null; ; ) {
      const unneeded: UnneededCode[] = await selectUnneededCodes(run.store, {
        expiredBefore: subtractMs(deps.now(), RETENTION_AFTER_EXPIRY_MS),
        checkedBefore: subtractMs(deps.now(), MAX_STORE_PROCESSING_MS),
        after,
        limit: BATCH,
      })
      after = unneeded.at(-1) ?? null
      if (!after) return { rowCount }
      await deleteCodes(run, client, unneeded)
      rowCount += unneeded.length
      await renewLease(run)
    }
  })
}

async function deleteCodes(run: SyncJob, client: StoreClient, unneeded: readonly UnneededCode[]): Promise<void> {
  const { deps, store } = run
  const isDeleted = (code: UnneededCode, deleted: readonly string[]) =>
    code.platform_id === null ? code.attempts === 0 : deleted.includes(code.platform_id)
  const ids = unneeded.flatMap((code) => code.platform_id ?? [])
  const deleted = ids.length > 0 ? await client.deleteCoupons(ids) : []
  const done = unneeded.filter((code) => isDeleted(code, deleted))
  // Several create requests may have created the code twice; one without a reply, once.
  const mayStillExist = (code: UnneededCode) => code.attempts > (code.platform_id === null ? 0 : 1)
  await markDeleted(
    store,
    done.filter((code) => !mayStillExist(code)),
    deps.now(),
  )
  for (const code of unneeded.filter(mayStillExist)) {
    if (await deleteByMark(client, code)) await markDeleted(store, [code], deps.now())
    await renewLease(run)
  }
}

const MAX_DUPLICATES = 5

/** Deletes the coupons that have this code and our mark in the description. Returns whether none is left. */
async function deleteByMark(client: StoreClient, { code, currency, message_id }: UnneededCode): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_DUPLICATES; attempt += 1) {
    const found = await client.couponByCode(code, currency)
    if (found?.mark !== buildCodeMark(message_id)) return true
    await client.deleteCoupons([found.couponId])
  }
  return false
}

// SQL for unneeded codes.

/** Without the codes that the store has deleted for us (`attempts` is 0). */
const needsCleanup = sql`(k.state <> 'deleted' or k.attempts > 0)`

interface UnneededCode {
  message_id: string
  coupon_id: string
  code: string
  platform_id: string | null
  /** Number of create requests; 0: none was sent, or the code is deleted. */
  attempts: number
  currency: string
}

/**
 * Selects unneeded codes:
 * - of finished messages sent without the code, and of deleted messages;
 * - of erased shoppers;
 * - unused and expired before `expiredBefore`;
 * - found deleted in the store, which may have created them twice.
 *
 * Skips codes with a recent unanswered request, because the store may still be processing it. Ordered by key, so that
 * the cursor `after` returns each code once.
 */
async function selectUnneededCodes(
  { db, storeId }: StoreDb,
  {
    expiredBefore,
    checkedBefore,
    after,
    limit,
  }: { expiredBefore: Date; checkedBefore: Date; after: UnneededCode | null; limit: number },
): Promise<UnneededCode[]> {
  const afterCursor = after ? sql`and (k.message_id, k.coupon_id) > (${after.message_id}, ${after.coupon_id})` : sql``
  const rows = await sql<UnneededCode>`
    select k.message_id, k.coupon_id, k.code, k.platform_id, k.attempts, s.currency
    from coupon_codes k join stores s on s.id = k.store_id
    left join messages m on m.store_id = k.store_id and m.id = k.message_id
    where k.store_id = ${storeId} and ${needsCleanup} ${afterCursor} and not coalesce((select is_paused from instance), false)
      and (k.attempts = 0 or (k.attempts = 1 and k.platform_id is not null) or k.asked_at <= ${checkedBefore})
      and (k.state = 'deleted' or k.is_unwanted or (k.used_at is null and (k.expires_at <= ${expiredBefore} or m.id is null
        or (not (${isOpen('m')}) and not (${isSending('m')})
          and (m.sending_at is null or upper(m.coupon_code) is distinct from k.code)))))
    order by k.message_id, k.coupon_id limit ${limit}`.execute(db)
  return rows.rows
}

async function markDeleted(
  { db, storeId }: StoreDb,
  codes: readonly { message_id: string; coupon_id: string }[],
  now: Date,
): Promise<void> {
  if (codes.length === 0) return
  await sql`update coupon_codes k set state = 'deleted', deleted_at = coalesce(k.deleted_at, ${now}), refusal = null, attempts = 0
    from jsonb_to_recordset(${JSON.stringify(codes)}::jsonb) as n(message_id uuid, coupon_id uuid)
    where k.store_id = ${storeId} and k.message_id = any(${codes.map((code) => code.message_id)}::uuid[])
      and k.message_id = n.message_id and k.coupon_id = n.coupon_id`.execute(db)
}

/**
 * Connected stores with codes and no cleanup within a day; sooner after a failure. A time in the future was written
 * before the clock was set back.
 */
async function selectStoresToCleanUp(db: Db, due: { now: Date; daily: Date; retry: Date }): Promise<string[]> {
  const rows = await sql<{ store_id: string }>`
    select s.id as store_id from stores s
    left join sync_state y on y.store_id = s.id and y.stream = 'coupon_tidy'
    where s.is_active and not coalesce((select is_paused from instance), false)
      and coalesce(y.started_at > ${due.now}
        or y.started_at <= case when y.error_code is null then ${due.daily}::timestamptz else ${due.retry} end, true)
      and exists (select 1 from coupon_codes k where k.store_id = s.id and ${needsCleanup})`.execute(db)
  return rows.rows.map((row) => row.store_id)
}
