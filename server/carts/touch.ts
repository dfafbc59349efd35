import type { StoreTx } from '../db.ts'
import * as track from '../messages/track-sql.ts'
import { readStore } from '../stores/sql.ts'
import { attributeOrders, readEvidence, secondsEnd } from './attribution.ts'
import { refold } from './carts.ts'

// What a person did with a message (A1), and what follows from it.

type Touch = Parameters<typeof track.insertTouch>[1]

/** Keeps the touch; a human one answers the message, and counts for a purchase that was known before it (S3: late evidence). */
export async function recordTouch(tx: StoreTx, touch: Touch): Promise<void> {
  if (!touch.isHuman) {
    await track.insertTouch(tx, touch)
    return
  }
  // A purchase recorded at the same moment either sees this touch, or is seen below.
  await track.lockShopperOf(tx, touch.messageId)
  const shopperId = await track.insertTouch(tx, touch)
  if (!shopperId) return
  await reweigh(tx, shopperId, touch.at)
  await track.noteResponse(tx, touch.messageId, touch.cartId, touch.at)
}

/** Touches of this person turned out to be a machine's: purchases are weighed again without them, and the cart waits for an answer again. */
export async function disownTouches(
  tx: StoreTx,
  { shopperId, cartId, at }: { shopperId: string; cartId: string; at: Date },
): Promise<void> {
  await reweigh(tx, shopperId, at, () => true)
  await track.forgetResponse(tx, cartId)
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
}
