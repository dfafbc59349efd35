import { type StoreDb, sql } from '../../core/db/db.ts'

// Statements on the progress of the plugin's cart reports.

export interface ReportedCart {
  cart: string
  seq: number
  repeat_seq: number | null
  said: Record<string, string>
}

export async function selectReportedCarts(
  { db, storeId }: StoreDb,
  install: string,
  carts: readonly string[],
): Promise<Map<string, ReportedCart>> {
  const rows = await db
    .selectFrom('plugin_carts')
    .select(['cart', 'seq', 'repeat_seq', 'said'])
    .where('store_id', '=', storeId)
    .where('install', '=', install)
    .where('cart', '=', sql<string>`any(${[...carts]}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.cart, row]))
}

/** Numbers only increase; the newest report sets the state of the boxes. */
export async function recordReported(
  { db, storeId }: StoreDb,
  install: string,
  { now, carts }: { now: Date; carts: readonly ReportedCart[] },
): Promise<void> {
  if (carts.length === 0) return
  await sql`insert into plugin_carts as p (store_id, install, cart, seq, repeat_seq, said, seen_at)
    select ${storeId}, ${install}, cart, seq, repeat_seq, said, ${now}
    from jsonb_to_recordset(${JSON.stringify(carts)}::jsonb) as c(cart text, seq bigint, repeat_seq bigint, said jsonb)
    order by cart
    on conflict (store_id, install, cart) do update set seen_at = excluded.seen_at,
      said = case when excluded.seq >= p.seq then excluded.said else p.said end,
      seq = greatest(p.seq, excluded.seq), repeat_seq = greatest(p.repeat_seq, excluded.repeat_seq)`.execute(db)
}
