import { disownTouches, recordTouch } from '../carts/touch.ts'
import type { StoreTx } from '../db.ts'
import { newId } from '../ids.ts'
import { lockShopperOf } from '../messages/track-sql.ts'
import { BURST_MS, judgeBurst } from './burst.ts'
import * as sql from './sql.ts'
import type { Verdict, VisitKind } from './visit.ts'

// What is done with a visit once it is classified: kept, weighed against those around it, and a person's click counted (A1).

export interface NewVisit {
  messageId: string
  /** Where a click counts: the message's cart, or the one it was joined to. */
  cartId: string
  kind: VisitKind
  /** Which of the message's links; empty for picture and trap. */
  link: string
  verdict: Verdict
  at: Date
}

/** More of one message are no news, and a token is enough to send any number. */
const KEPT_PER_MESSAGE = 300

/**
 * Visits of one person's messages come one after the other, so that of two at the same moment the second sees the first. Takes the
 * person's lock first, as everything does that may move carts.
 */
export async function recordVisit(
  tx: StoreTx,
  { messageId, cartId, kind, link, verdict, at }: NewVisit,
): Promise<void> {
  const shopperId = await lockShopperOf(tx, messageId)
  if (!shopperId || (await sql.countVisits(tx, messageId)) >= KEPT_PER_MESSAGE) return
  const id = newId()
  const { class: own, reason } = verdict
  await sql.insertVisit(tx, { id, message_id: messageId, kind, link, class: own, class_reason: reason, at })
  const burst = judgeBurst(await sql.visitsSince(tx, messageId, new Date(at.getTime() - BURST_MS)))
  const late = burst.find((each) => each.id === id)
  if (kind === 'click') {
    const isHuman = own === 'human' && !late
    await recordTouch(tx, { id, messageId, cartId, kind, isHuman, reason: late?.reason ?? reason, at })
  }
  if (burst.length === 0) return
  const disowned = (await sql.reclassify(tx, burst)).filter((each) => each !== id)
  if (disowned.length > 0) await disownTouches(tx, { shopperId, cartId, at })
}
