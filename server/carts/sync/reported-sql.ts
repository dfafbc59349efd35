import { type StoreDb, sql } from '../../core/db/public.ts'

// SQL for order checks of unreachable shops.

/**
 * The plugin has reported all orders changed since the last read (D3), which counts as a read. The failure is kept,
 * because the shop would otherwise count as reachable.
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

/** The shop's orders were read, so its plugin need not report them. */
export function clearCheckFailures({ db, storeId }: StoreDb) {
  return db
    .updateTable('sync_state')
    .set({ failed_at: null, failures: 0, error_code: null, error_detail: null })
    .where('store_id', '=', storeId)
    .where('stream', '=', 'order_check')
    .where('failures', '>', 0)
    .execute()
}
