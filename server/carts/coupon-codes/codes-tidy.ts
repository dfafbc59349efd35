import type { z } from 'zod'
import { NIGHTLY_EVERY_MS, openStoreClient, RETRY_AFTER_MS, subtractMs } from '../../access/stores/public.ts'
import { keepSlot, type StepAside } from '../../core/common/public.ts'
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
/** Longer than a store works on one request. */
const MAX_STORE_MS = 10 * 60_000
const BATCH = 100

/** Tick: queues one job per store without a cleanup within a day. */
export async function enqueueCodeCleanups(deps: Pick<Deps, 'db' | 'jobs' | 'now'>): Promise<void> {
  const now = deps.now()
  const due = { now, daily: subtractMs(now, NIGHTLY_EVERY_MS), retry: subtractMs(now, RETRY_AFTER_MS) }
  for (const storeId of await selectStoresToTidy(deps.db, due)) {
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
    let rowCount = 0
    for (let after: UnneededCode | null = null; ; ) {
      const spare: UnneededCode[] = await selectUnneededCodes(run.store, {
        expiredBefore: subtractMs(deps.now(), RETENTION_AFTER_EXPIRY_MS),
        checkedBefore: subtractMs(deps.now(), MAX_STORE_MS),
        after,
        limit: BATCH,
      })
      after = spare.at(-1) ?? null
      if (!after) return { rowCount }
      await deleteCodes(run, client, spare)
      rowCount += spare.length
      await renewLease(run)
    }
  })
}

async function deleteCodes(run: SyncJob, client: StoreClient, spare: readonly UnneededCode[]): Promise<void> {
  const { deps, store } = run
  const isDeleted = (code: UnneededCode, deleted: readonly string[]) =>
    code.platform_id === null ? code.attempts === 0 : deleted.includes(code.platform_id)
  const ids = spare.flatMap((code) => code.platform_id ?? [])
  const deleted = ids.length > 0 ? await client.deleteCoupons(ids) : []
  const done = spare.filter((code) => isDeleted(code, deleted))
  // After several requests the code may exist twice; after an unanswered one, once.
  const isDoubtful = (code: UnneededCode) => code.attempts > (code.platform_id === null ? 0 : 1)
  await markDeleted(
    store,
    done.filter((code) => !isDoubtful(code)),
    deps.now(),
  )
  for (const code of spare.filter(isDoubtful)) {
    if (await deleteByMark(client, code)) await markDeleted(store, [code], deps.now())
    await renewLease(run)
  }
}

const MOST_TWINS = 5

/** Finds it by code and mark. */
async function deleteByMark(client: StoreClient, { code, currency, message_id }: UnneededCode): Promise<boolean> {
  for (let twin = 0; twin < MOST_TWINS; twin += 1) {
    const found = await client.couponByCode(code, currency)
    if (found?.mark !== buildCodeMark(message_id)) return true
    await client.deleteCoupons([found.couponId])
  }
  return false
}

// Statements on codes to delete from a store.

/** Codes that we deleted (`attempts` is 0) are already gone from the store. */
const isToTidy = sql`(k.state <> 'deleted' or k.attempts > 0)`

interface UnneededCode {
  message_id: string
  coupon_id: string
  code: string
  platform_id: string | null
  /** 0: the store was never asked for it. */
  attempts: number
  currency: string
}

/**
 * Unneeded codes: of finished or deleted messages sent without them, unused ones that expired before `expiredBefore`,
 * and those of erased shoppers. Also those found deleted in the store, which may have created them twice. A recent
 * request without an answer waits, because the store may still be working on it. Ordered by key, so that each is met
 * once.
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
  const behind = after ? sql`and (k.message_id, k.coupon_id) > (${after.message_id}, ${after.coupon_id})` : sql``
  const rows = await sql<UnneededCode>`
    select k.message_id, k.coupon_id, k.code, k.platform_id, k.attempts, s.currency
    from coupon_codes k join stores s on s.id = k.store_id
    left join messages m on m.store_id = k.store_id and m.id = k.message_id
    where k.store_id = ${storeId} and ${isToTidy} ${behind} and not coalesce((select is_paused from instance), false)
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
 * Connected stores with codes and no cleanup within a day; sooner after a failure. Future times are from a clock put
 * back.
 */
async function selectStoresToTidy(db: Db, due: { now: Date; daily: Date; retry: Date }): Promise<string[]> {
  const rows = await sql<{ store_id: string }>`
    select s.id as store_id from stores s
    left join sync_state y on y.store_id = s.id and y.stream = 'coupon_tidy'
    where s.is_active and not coalesce((select is_paused from instance), false)
      and coalesce(y.started_at > ${due.now}
        or y.started_at <= case when y.error_code is null then ${due.daily}::timestamptz else ${due.retry} end, true)
      and exists (select 1 from coupon_codes k where k.store_id = s.id and ${isToTidy})`.execute(db)
  return rows.rows.map((row) => row.store_id)
}
