import { readStore } from '../../access/stores/store.ts'
import type { StoreTx } from '../../core/db/db.ts'
import { scheduleNextLook } from '../../messages/messages/messages.ts'
import * as track from '../../messages/messages/recipient.ts'
import { attributeOrders, endOfSecond, readEvidence } from '../orders/attribution.ts'
import { refold } from './carts.ts'
import { insertTouchpoint, recordResponse, revokeResponse } from './touchpoints-sql.ts'

// Records what a shopper did with a message (A1) and updates attribution.

type Touch = Parameters<typeof insertTouchpoint>[1]

/** A human touch responds to the message and can attribute a purchase that is already known (S3: late evidence). */
export async function recordTouchpoint(tx: StoreTx, touch: Touch): Promise<void> {
  if (!touch.isHuman) {
    await insertTouchpoint(tx, touch)
    return
  }
  // The lock orders this against a purchase recorded concurrently: one of the two sees the other.
  await track.lockMessageShopper(tx, touch.messageId)
  const shopperId = await insertTouchpoint(tx, touch)
  if (!shopperId) return
  await attributeAgain(tx, shopperId, touch.at)
  await recordResponse(tx, touch.messageId, touch.cartId, touch.at)
}

/**
 * Touches turned out to be a machine's: attributes purchases again without them, and the cart awaits a response again.
 */
export async function revokeTouchpoints(
  tx: StoreTx,
  { shopperId, cartId, at }: { shopperId: string; cartId: string | null; at: Date },
): Promise<void> {
  await attributeAgain(tx, shopperId, at, () => true)
  if (cartId !== null) await revokeResponse(tx, cartId)
}

/** A store whose clock is ahead of ours may date a purchase after a touch that we record later. */
async function attributeAgain(
  tx: StoreTx,
  shopperId: string,
  at: Date,
  isConcerned = (purchasedAt: Date) => endOfSecond(purchasedAt) >= at.getTime(),
): Promise<void> {
  const evidence = await readEvidence(tx, [shopperId])
  const isLate = [...evidence.orders.values()].some((order) => isConcerned(order.purchased_at!))
  const store = isLate ? await readStore(tx) : undefined
  if (!store) return
  await refold(tx, store, [{ shopperId, news: [], isMerged: true }], evidence, at)
  await attributeOrders(tx, store, evidence)
  // Messages held for this shopper's open carts may be released now.
  await scheduleNextLook(tx)
}
