import { recordTouchpoint, revokeTouchpoints } from '../../carts/carts/public.ts'
import { createId } from '../../core/common/public.ts'
import type { StoreTx } from '../../core/db/public.ts'
import { lockMessageShopper } from '../../messages/messages/public.ts'
import { evaluateBurst } from './burst.ts'
import type { Classification, EngagementKind } from './classify.ts'
import * as sql from './sql.ts'

// Records a classified visit: stores it, reclassifies bursts and counts a human click (A1).

export interface NewEngagementEvent {
  messageId: string
  /** The message's cart or the one it was joined to; null: none. */
  cartId: string | null
  kind: EngagementKind
  /** Short hash of the link's token; empty for image and honeypot. */
  link: string
  /** Target of a click; null: the cart's restore page. */
  target: string | null
  classification: Classification
  at: Date
}

/** Anybody with a token can send any number of visits, so further ones are dropped. */
const MAX_PER_MESSAGE = 300

/**
 * Records one visit. The shopper's lock serializes visits, so that of two concurrent ones the second sees the first.
 * The lock comes first, as in every transaction that may change carts.
 */
export async function recordEngagement(
  tx: StoreTx,
  { messageId, cartId, kind, link, target, classification, at }: NewEngagementEvent,
): Promise<void> {
  const shopperId = await lockMessageShopper(tx, messageId)
  if (!shopperId || (await sql.countEngagementEvents(tx, messageId)) >= MAX_PER_MESSAGE) return
  const id = createId()
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
  const burst = evaluateBurst(await sql.listEngagementEventsSince(tx, messageId, new Date(at.getTime() - BURST_MS)))
  const late = burst.find((each) => each.id === id)
  if (kind === 'click') {
    const isHuman = own === 'human' && !late
    await recordTouchpoint(tx, { id, messageId, cartId, kind, isHuman, reason: late?.reason ?? reason, at })
  }
  if (burst.length === 0) return
  const disowned = (await sql.reclassify(tx, burst)).filter((each) => each !== id)
  if (disowned.length > 0) await revokeTouchpoints(tx, { shopperId, cartId, at })
}

/** How far back visits are reclassified. */
const BURST_MS = 60_000
