import type { Db, StoreDb } from '../../core/db/db.ts'
import type { ItemRef, ItemTerms } from '../../platforms/platform/platform.ts'
import { before, ORDER_CHECK_FRESH_MS, oldest } from '../stores/rules.ts'
import * as sql from './goods-sql.ts'

// Stock and prices of a shop that is not reached: messages note what they need, the next beat asks for it, and the report answers it.

export { ageGoods } from './goods-sql.ts'

/** A message that still waits notes what it needs at least this often. */
const WANTED_MS = 3 * 60_000
/** Younger reports are good enough for the messages of the next half minute. */
const AGAIN_MS = 30_000
/** Of one beat. The plugin beats again at once while there is more. */
export const MOST_GOODS = 100

/** What is known of these items within a minute, and when the oldest of it was read; the shop is asked for all of them. */
export async function readReportedTerms(
  store: StoreDb<Db>,
  items: readonly ItemRef[],
  now: Date,
): Promise<{ found: ItemTerms[]; readAt: Date | null }> {
  await sql.want(store, items, now)
  const rows = await sql.readReported(store, items, { from: before(now, ORDER_CHECK_FRESH_MS), to: now })
  const found = rows.map((row) => ({
    productId: row.product_id,
    variationId: row.variation_id || null,
    isAvailable: row.is_available,
    priceMinor: row.price_minor,
    isOnSale: row.is_on_sale,
    stockQuantity: row.stock_quantity,
  }))
  return { found, readAt: oldest(rows.map((row) => row.read_at)) }
}

/** What the shop is to report next. */
export const neededGoods = (store: StoreDb, now: Date): Promise<ItemRef[]> =>
  sql.unreported(store, { wantedSince: before(now, WANTED_MS), readBefore: before(now, AGAIN_MS), most: MOST_GOODS })

export async function keepReported(store: StoreDb, terms: readonly ItemTerms[], readAt: Date): Promise<void> {
  if (terms.length === 0) return
  const rows = terms.map((each) => ({
    product_id: each.productId,
    variation_id: each.variationId ?? '',
    is_available: each.isAvailable,
    price_minor: each.priceMinor,
    is_on_sale: each.isOnSale ?? null,
    stock_quantity: each.stockQuantity ?? null,
  }))
  await sql.keepReported(store, rows, readAt)
}
