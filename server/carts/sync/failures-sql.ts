import { type StoreDb, sql } from '../../core/db/public.ts'

// SQL for consecutive failures of a store, in reads before a send and after a webhook.

/** Read with the order check, or single records after a webhook. */
type BatchStream = 'goods_check' | 'coupon_check' | 'record_check'

/**
 * Records a failed read, which pauses such reads of the store for a while. Returns the number of consecutive failures.
 */
export function recordFailure(
  { db, storeId }: StoreDb,
  { stream, now, problem, detail }: { stream: BatchStream; now: Date; problem: string; detail: string | null },
) {
  const failure = { failed_at: now, error_code: problem, error_detail: detail?.slice(0, 500) ?? null }
  return db
    .insertInto('sync_state')
    .values({ store_id: storeId, stream, failures: 1, ...failure })
    .onConflict((conflict) =>
      conflict
        .columns(['store_id', 'stream'])
        .doUpdateSet(() => ({ ...failure, failures: countNextFailures(problem) })),
    )
    .returning(['failures', 'failed_at', 'error_code'])
    .executeTakeFirstOrThrow()
}

/**
 * Consecutive failures. A store that starts or stops hanging is retried soon, but still counts as failing. One that
 * returned more rows, although not all, does not hang.
 */
export const countNextFailures = (code: string, reached: Date | null = null) => sql<number>`case
  when ${reached}::timestamptz > coalesce(sync_state.watermark, '-infinity') then least(sync_state.failures + 1, 3)
  when (sync_state.error_code = 'timeout') is distinct from ${code === 'timeout'} then least(sync_state.failures + 1, 3)
  else sync_state.failures + 1 end`

export function readFailure({ db, storeId }: StoreDb, stream: BatchStream) {
  return db
    .selectFrom('sync_state')
    .select(['failures', 'failed_at', 'error_code', 'error_detail'])
    .where('store_id', '=', storeId)
    .where('stream', '=', stream)
    .executeTakeFirst()
}

export function clearFailure({ db, storeId }: StoreDb, stream: BatchStream, now: Date) {
  return db
    .updateTable('sync_state')
    .set({ failed_at: null, failures: 0, error_code: null, error_detail: null, completed_at: now })
    .where('store_id', '=', storeId)
    .where('stream', '=', stream)
    .where('failures', '>', 0)
    .execute()
}
