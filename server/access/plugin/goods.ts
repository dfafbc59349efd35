import type { Db, StoreDb } from '../../core/db/public.ts'
import type { ItemRef, ItemTerms } from '../../platforms/platform/public.ts'
import { findOldest, ORDER_CHECK_FRESH_MS, subtractMs } from '../stores/public.ts'
import * as sql from './goods-sql.ts'

// Stock and prices of a shop that we cannot reach: messages record what they need, the next heartbeat requests it, and
// the plugin reports it.

/** How often a waiting message records its needs again. */
const REQUESTED_MS = 3 * 60_000
/** Younger reports serve the messages of the next half minute. */
const RENEW_MS = 30_000
/** Items per heartbeat. The plugin calls again at once while there are more. */
export const MAX_GOODS = 100

/**
 * The known terms of these items that are at most a minute old, with the time of the oldest. Requests all of them from
 * the shop.
 */
export async function readReportedTerms(
  store: StoreDb<Db>,
  items: readonly ItemRef[],
  now: Date,
): Promise<{ found: ItemTerms[]; readAt: Date | null }> {
  await sql.requestGoods(store, items, now)
  const rows = await sql.readReported(store, items, { from: subtractMs(now, ORDER_CHECK_FRESH_MS), to: now })
  const found = rows.map((row) => ({
    productId: row.product_id,
    variationId: row.variation_id || null,
    isAvailable: row.is_available,
    priceMinor: row.price_minor,
    isOnSale: row.is_on_sale,
    stockQuantity: row.stock_quantity,
  }))
  return { found, readAt: findOldest(rows.map((row) => row.read_at)) }
}

/** The items that the shop reports next. */
export const listNeededGoods = (store: StoreDb, now: Date): Promise<ItemRef[]> =>
  sql.listUnreported(store, {
    requestedSince: subtractMs(now, REQUESTED_MS),
    readBefore: subtractMs(now, RENEW_MS),
    max: MAX_GOODS,
  })

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
  await sql.saveReported(store, rows, readAt)
}
