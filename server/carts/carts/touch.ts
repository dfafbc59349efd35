import type { StoreTx } from '../../core/db/db.ts'
import { scheduleNextLook } from '../../messages/messages/messages.ts'
import * as track from '../../messages/messages/recipient.ts'
import { attributeOrders, readEvidence, secondsEnd } from '../orders/attribution.ts'
import { readStore } from '../../access/stores/store.ts'
import { refold } from './carts.ts'
import { forgetResponse, insertTouchpoint, noteResponse } from './touch-sql.ts'

// What a person did with a message (A1), and what follows from it.

type Touch = Parameters<typeof insertTouchpoint>[1]

/** Keeps the touch; a human one answers the message, and counts for a purchase that was known before it (S3: late evidence). */
export async function recordTouchpoint(tx: StoreTx, touch: Touch): Promise<void> {
  if (!touch.isHuman) {
    await insertTouchpoint(tx, touch)
    return
  }
  // A purchase recorded at the same moment either sees this touch, or is seen below.
  await track.lockShopperOf(tx, touch.messageId)
  const shopperId = await insertTouchpoint(tx, touch)
  if (!shopperId) return
  await reweigh(tx, shopperId, touch.at)
  await noteResponse(tx, touch.messageId, touch.cartId, touch.at)
}

/** Touches of this person turned out to be a machine's: purchases are weighed again without them, and the cart waits for an answer again. */
export async function disownTouchpoints(
  tx: StoreTx,
  { shopperId, cartId, at }: { shopperId: string; cartId: string | null; at: Date },
): Promise<void> {
  await reweigh(tx, shopperId, at, () => true)
  if (cartId !== null) await forgetResponse(tx, cartId)
}

/** A store whose clock is ahead of ours dates a purchase after the touch that we came to know of later. */
async function reweigh(
  tx: StoreTx,
  shopperId: string,
  at: Date,
  isConcerned = (purchasedAt: Date) => secondsEnd(purchasedAt) >= at.getTime(),
): Promise<void> {
  const evidence = await readEvidence(tx, [shopperId])
  const isLate = [...evidence.orders.values()].some((order) => isConcerned(order.purchased_at!))
  const store = isLate ? await readStore(tx) : undefined
  if (!store) return
  await refold(tx, store, [{ shopperId, news: [], isMerged: true }], evidence, at)
  await attributeOrders(tx, store, evidence)
  // What their open carts are held for may pass now.
  await scheduleNextLook(tx)
}
