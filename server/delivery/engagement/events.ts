import { disownTouchpoints, recordTouchpoint } from '../../carts/carts/touch.ts'
import type { StoreTx } from '../../core/db/db.ts'
import { newId } from '../../core/common/ids.ts'
import { lockShopperOf } from '../../messages/messages/recipient.ts'
import { BURST_MS, evaluateBurst } from './burst.ts'
import type { Classification, EngagementKind } from './classify.ts'
import * as sql from './sql.ts'

// What is done with a visit once it is classified: kept, weighed against those around it, and a person's click counted (A1).

export interface NewEngagementEvent {
  messageId: string
  /** Where a click counts: the message's cart, or the one it was joined to; null: it has none. */
  cartId: string | null
  kind: EngagementKind
  /** Which of the message's links; empty for picture and honeypot. */
  link: string
  /** Of a click the address it leads to; null: the page of the cart. */
  target: string | null
  classification: Classification
  at: Date
}

/** More of one message are no news, and a token is enough to send any number. */
const KEPT_PER_MESSAGE = 300

/**
 * Visits of one person's messages come one after the other, so that of two at the same moment the second sees the first. Takes the
 * person's lock first, as everything does that may move carts.
 */
export async function recordEngagement(
  tx: StoreTx,
  { messageId, cartId, kind, link, target, classification, at }: NewEngagementEvent,
): Promise<void> {
  const shopperId = await lockShopperOf(tx, messageId)
  if (!shopperId || (await sql.countEngagementEvents(tx, messageId)) >= KEPT_PER_MESSAGE) return
  const id = newId()
  const { class: own, reason } = classification
  await sql.insertEngagementEvent(tx, {
    id,
    message_id: messageId,
    kind,
    link,
    target,
    class: own,
    class_reason: reason,
    at,
  })
  const burst = evaluateBurst(await sql.engagementEventsSince(tx, messageId, new Date(at.getTime() - BURST_MS)))
  const late = burst.find((each) => each.id === id)
  if (kind === 'click') {
    const isHuman = own === 'human' && !late
    await recordTouchpoint(tx, { id, messageId, cartId, kind, isHuman, reason: late?.reason ?? reason, at })
  }
  if (burst.length === 0) return
  const disowned = (await sql.reclassify(tx, burst)).filter((each) => each !== id)
  if (disowned.length > 0) await disownTouchpoints(tx, { shopperId, cartId, at })
}
