import type { Db, StoreDb, StoreTx } from '../../core/db/db.ts'
import { wakeHeldTo } from './plan-sql.ts'
import * as sql from './sql.ts'
import { STORE_UNREAD } from './wake-rules.ts'

// Messages: scheduled | held | claimed → sending → sent | failed | unknown, → delivered; or skipped, cancelled.
// A row is written in the transaction that decides on it, and its key (cart, or shopper where there is none; origin; step; channel) exists once (D1).

/** Cancels duplicate messages without a cart of two shoppers who turned out to be one. Before anything of `fromId` becomes `intoId`'s. */
export { cancelDoubles as mergeShopperMessages } from './plan-sql.ts'
export {
  /** What held a store's messages for one of these reasons is gone. */
  askToWake as wakeStoreMessages,
  /** The same of an account's messages, or of everybody's: a larger plan, an installation confirmed as the live one. */
  askToWakeOf as wakeMessagesOf,
  /** For the meters of an account (decision 87). */
  countHeldByPlan,
  /** A flow was edited: what is open of it follows. */
  retimeEdited as retimeEditedMessages,
  /**
   * Tells the once-a-second scan when to come back. The last statement of a transaction that planned or moved messages:
   * the row it locks is the store's own, and taking it earlier could make two transactions wait for each other.
   */
  setNextDue as scheduleNextLook,
  /** After a send: the steps behind it keep their distance. */
  spaceNextSteps,
} from './sql.ts'

/** Plans the steps of every flow that is on for carts that just became abandoned. */
export async function scheduleFlowMessages(tx: StoreTx, cartIds: readonly string[], now: Date): Promise<void> {
  if (cartIds.length === 0) return
  const { planned, behindSent } = await sql.scheduleFlows(tx, cartIds, now)
  if (planned === 0) return
  if (behindSent.length > 0) await sql.keepDistance(tx, behindSent, now)
  await sql.moveLostAt(tx, cartIds)
}

/** A purchase, an emptied or a lost cart reaches every message not yet sent in the same commit (D5). */
export async function cancelCartMessages(
  tx: StoreTx,
  cartIds: readonly string[],
  reason: string,
  now: Date,
): Promise<number> {
  return cartIds.length === 0 ? 0 : sql.cancelOfCarts(tx, cartIds, reason, now)
}

/** Better evidence of why carts' messages were cancelled; they stay cancelled, and the record shows both. */
export async function correctCancelReason(
  tx: StoreTx,
  cartIds: readonly string[],
  change: { from: string; to: string; now: Date },
): Promise<void> {
  if (cartIds.length > 0) await sql.changeCancelReason(tx, cartIds, change)
}

/** Disconnecting: nothing open is left (D5, Y4). */
export async function cancelOpenMessages(tx: StoreTx, reason: string, now: Date): Promise<number> {
  const cancelled = await sql.cancelOfStore(tx, reason, now)
  await sql.setNextDue(tx)
  return cancelled
}

/** Merging never adds messages (S6). */
export async function mergeCartMessages(tx: StoreTx, fromCart: string, intoCart: string, now: Date): Promise<void> {
  await sql.cancelOfCarts(tx, [fromCart], 'merged', now)
  await sql.closeAttemptedSteps(tx, fromCart, intoCart, now)
}

export async function retimeFlowMessages(tx: StoreTx, activity: readonly sql.CartActivity[], now: Date): Promise<void> {
  if (activity.length > 0) await sql.retimeFlow(tx, activity, now)
}

/** Contact arrived, a payment failed …: what waited for it is looked at again. */
export async function wakeCartMessages(tx: StoreTx, cartIds: readonly string[], now: Date): Promise<void> {
  if (cartIds.length > 0) await sql.wakeHeld(tx, cartIds, now)
}

/** The same of messages without a cart, by the addresses of their shoppers. */
export async function wakeMessagesTo(tx: StoreTx, addresses: readonly string[], now: Date): Promise<void> {
  if (addresses.length > 0) await wakeHeldTo(tx, addresses, now)
}

/** The shop has reported its orders: what waited for them is decided on at once, while they are fresh (D3). */
export const wakeUnread = (tx: StoreTx, now: Date): Promise<void> => sql.askToWake(tx, STORE_UNREAD, now)

/** Between two rounds of whoever sends for the store. Whether it was asked for. */
export async function wakeAskedMessages(store: StoreDb<Db>, now: Date): Promise<boolean> {
  if (!(await sql.isWakeAsked(store))) return false
  await sql.wakeAsked(store, now)
  return true
}

/** The same of some of its messages. */
export async function wakeMessages(
  tx: StoreTx,
  messageIds: readonly string[],
  reasons: readonly string[],
  now: Date,
): Promise<void> {
  if (messageIds.length > 0) await sql.wakeHeldMessages(tx, messageIds, reasons, now)
}
