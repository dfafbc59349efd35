import type { Db, StoreDb, StoreTx } from '../../core/db/public.ts'
import { wakeHeldByAddress } from './plan-sql.ts'
import * as sql from './sql.ts'
import { STORE_UNREAD } from './wake-rules.ts'

// Messages: scheduled | held | claimed → sending → sent | failed | unknown, → delivered; or skipped, cancelled. A row
// is written in the transaction that decides on it. Its key (cart, or shopper without a cart; origin; step; channel) is
// unique (D1).

/** Plans the steps of every active flow for newly abandoned carts. */
export async function scheduleFlowMessages(tx: StoreTx, cartIds: readonly string[], now: Date): Promise<void> {
  if (cartIds.length === 0) return
  const { planned, behindSent } = await sql.scheduleFlows(tx, cartIds, now)
  if (planned === 0) return
  if (behindSent.length > 0) await sql.keepDistance(tx, behindSent, now)
  await sql.moveLostAt(tx, cartIds)
}

/** Cancels all unsent messages in the commit of a purchase, an emptied or a lost cart (D5). */
export async function cancelCartMessages(
  tx: StoreTx,
  cartIds: readonly string[],
  reason: string,
  now: Date,
): Promise<number> {
  return cartIds.length === 0 ? 0 : sql.cancelForCarts(tx, cartIds, reason, now)
}

/**
 * Corrects the reason of cancelled messages after better evidence. They stay cancelled, and the record shows both
 * reasons.
 */
export async function correctCancelReason(
  tx: StoreTx,
  cartIds: readonly string[],
  change: { from: string; to: string; now: Date },
): Promise<void> {
  if (cartIds.length > 0) await sql.changeCancelReason(tx, cartIds, change)
}

/** Cancels every open message when a store disconnects (D5, Y4). */
export async function cancelOpenMessages(tx: StoreTx, reason: string, now: Date): Promise<number> {
  const cancelled = await sql.cancelForStore(tx, reason, now)
  await sql.setNextDue(tx)
  return cancelled
}

/** A merge never adds messages (S6). */
export async function mergeCartMessages(tx: StoreTx, fromCart: string, intoCart: string, now: Date): Promise<void> {
  await sql.cancelForCarts(tx, [fromCart], 'merged', now)
  await sql.closeAttemptedSteps(tx, fromCart, intoCart, now)
}

export async function retimeFlowMessages(tx: StoreTx, activity: readonly sql.CartActivity[], now: Date): Promise<void> {
  if (activity.length > 0) await sql.retimeFlow(tx, activity, now)
}

/** Reconsiders messages that waited for news of a cart, such as a contact or a failed payment. */
export async function wakeCartMessages(tx: StoreTx, cartIds: readonly string[], now: Date): Promise<void> {
  if (cartIds.length > 0) await sql.wakeHeld(tx, cartIds, now)
}

/** Does the same for messages without a cart, by the addresses of their shoppers. */
export async function wakeMessagesToAddresses(tx: StoreTx, addresses: readonly string[], now: Date): Promise<void> {
  if (addresses.length > 0) await wakeHeldByAddress(tx, addresses, now)
}

/** Decides at once on messages that waited for the shop's orders, while the data are fresh (D3). */
export const wakeAfterOrderCheck = (tx: StoreTx, now: Date): Promise<void> => sql.requestWake(tx, STORE_UNREAD, now)

/** Runs between two rounds of a store's sender. Returns whether a wake-up was requested. */
export async function wakeRequestedMessages(store: StoreDb<Db>, now: Date): Promise<boolean> {
  if (!(await sql.isWakeRequested(store))) return false
  await sql.wakeRequested(store, now)
  return true
}

/** Wakes some of the store's messages. */
export async function wakeMessages(
  tx: StoreTx,
  messageIds: readonly string[],
  reasons: readonly string[],
  now: Date,
): Promise<void> {
  if (messageIds.length > 0) await sql.wakeHeldMessages(tx, messageIds, reasons, now)
}
