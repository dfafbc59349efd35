import { type Db, sql } from '../server/core/db/db.ts'

/** Reads all analytics figures of a store as ordered rows, without the time they were counted. */
export async function readFigures(db: Db, storeId: string): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {}
  for (const [table, order] of Object.entries(FIGURES)) {
    const { rows } = await sql<{ row: unknown }>`select to_jsonb(f) - 'store_id' as row from ${sql.table(table)} f
      where f.store_id = ${storeId} order by ${sql.raw(order)}`.execute(db)
    all[table] = rows.map(({ row }) => row)
  }
  return all
}

const FIGURES = {
  cart_figures: 'dimension, day, key, currency',
  funnel_figures: 'channel, day',
  message_figures: 'day, channel, origin_kind, origin_id, step_id, variant_id, from_hour, currency',
  flow_figures: 'flow_id, day, step_id, variant_id, currency',
  order_figures: 'day, source, currency',
  product_figures: 'day, product_id, currency',
  product_month_figures: 'month, product_id, currency',
}
