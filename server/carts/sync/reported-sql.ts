import { type StoreDb, sql } from '../../core/db/db.ts'

// Order checks of a shop that is not reached: SQL and nothing else.

/**
 * The shop has told all orders that changed since the last reading (D3): this counts as one. That it could not be asked itself stays written
 * down, or it would count as reached.
 */
export async function completeReported(
  { db, storeId }: StoreDb,
  { startedAt, now, watermark }: { startedAt: Date; now: Date; watermark: Date | null },
): Promise<void> {
  await sql`update sync_state set completed_start = ${startedAt}, completed_at = ${now},
      watermark = greatest(watermark, ${watermark}::timestamptz),
      failures = case when stream = 'order_check' then failures else 0 end,
      failed_at = case when stream = 'order_check' then failed_at end,
      error_code = case when stream = 'order_check' then error_code end,
      error_detail = case when stream = 'order_check' then error_detail end
    where store_id = ${storeId} and stream in ('order_check', 'sweep')
      and (completed_start is null or completed_start < ${startedAt})`.execute(db)
}

/** The shop's orders were read: its plugin need not report them any more. */
export function forgetCheckFailures({ db, storeId }: StoreDb) {
  return db
    .updateTable('sync_state')
    .set({ failed_at: null, failures: 0, error_code: null, error_detail: null })
    .where('store_id', '=', storeId)
    .where('stream', '=', 'order_check')
    .where('failures', '>', 0)
    .execute()
}
