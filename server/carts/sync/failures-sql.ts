import { type StoreDb, sql } from '../../core/db/db.ts'

// How often in a row a store failed at what is asked of it before a message is sent, or after a webhook: SQL and nothing else.

/** What is read with the order check, and the single records that webhooks name. */
type BatchStream = 'goods_check' | 'coupon_check' | 'record_check'

/** Reading a batch's stock and prices, its coupons or a single record failed: the store is left alone with that for a while. Answers how often in a row. */
export function noteFailure(
  { db, storeId }: StoreDb,
  { stream, now, problem, detail }: { stream: BatchStream; now: Date; problem: string; detail: string | null },
) {
  const failure = { failed_at: now, error_code: problem, error_detail: detail?.slice(0, 500) ?? null }
  return db
    .insertInto('sync_state')
    .values({ store_id: storeId, stream, failures: 1, ...failure })
    .onConflict((conflict) =>
      conflict.columns(['store_id', 'stream']).doUpdateSet(() => ({ ...failure, failures: nextFailures(problem) })),
    )
    .returning(['failures', 'failed_at', 'error_code'])
    .executeTakeFirstOrThrow()
}

/**
 * In a row. A store that fails in another way than before, by hanging or no longer, is asked again soon, and still counts as failing. One that
 * was read further, and not to its end, does not hang.
 */
export const nextFailures = (code: string, reached: Date | null = null) => sql<number>`case
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

export function forgetFailure({ db, storeId }: StoreDb, stream: BatchStream, now: Date) {
  return db
    .updateTable('sync_state')
    .set({ failed_at: null, failures: 0, error_code: null, error_detail: null, completed_at: now })
    .where('store_id', '=', storeId)
    .where('stream', '=', stream)
    .where('failures', '>', 0)
    .execute()
}
