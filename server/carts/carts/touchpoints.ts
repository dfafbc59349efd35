import { readStore } from '../../access/stores/public.ts'
import { type StoreTx, sql } from '../../core/db/public.ts'
import * as track from '../../messages/messages/public.ts'
import { becomesAccepted, isUnknown, scheduleNextRun, selectNewestSend } from '../../messages/messages/public.ts'
import { attributeOrders, endOfSecond, readEvidence } from '../orders/public.ts'
import { refold } from './carts.ts'
import { hasReacted } from './fragments.ts'

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
  await refold(tx, store, { shopperIds: [shopperId] }, evidence, at)
  await attributeOrders(tx, store, evidence)
  // Messages held for this shopper's open carts may be released now.
  await scheduleNextRun(tx)
}

// SQL for touchpoints and on a shopper's response to a message.

async function insertTouchpoint(
  { db, storeId }: StoreTx,
  touch: {
    id: string
    messageId: string
    cartId: string | null
    kind: 'click' | 'restore'
    isHuman: boolean
    reason: string
    at: Date
  },
): Promise<string | null> {
  const rows = await sql<{ shopper_id: string }>`
    insert into touchpoints (store_id, id, message_id, cart_id, shopper_id, kind, is_human, class_reason, at)
    select ${storeId}, ${touch.id}, m.id, m.cart_id, m.shopper_id, ${touch.kind}, ${touch.isHuman}, ${touch.reason}, ${touch.at}
    from messages m where m.store_id = ${storeId} and m.id = ${touch.messageId} returning shopper_id`.execute(db)
  return rows.rows[0]?.shopper_id ?? null
}

/** After a human click the cart is not due for "No Response", and an `unknown` message counts as accepted. */
async function recordResponse(
  { db, storeId }: StoreTx,
  messageId: string,
  cartId: string | null,
  now: Date,
): Promise<void> {
  if (cartId !== null) await clearNoResponse({ db, storeId }, cartId)
  await sql`
    with moved as (
      update messages set ${becomesAccepted}, updated_at = ${now}, finished_at = ${now}
      where store_id = ${storeId} and id = ${messageId} and ${isUnknown('messages')} returning id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select ${storeId}, gen_random_uuid(), id, ${now}, 'result', 'accepted', '{"evidence":"a human click"}' from moved`.execute(
    db,
  )
}

async function clearNoResponse({ db, storeId }: StoreTx, cartId: string): Promise<void> {
  await sql`update cart_badges cb set no_response_at = null,
    badge = case when cb.badge = 'No Response'
      then coalesce((select h.badge from (${selectNewestSend(sql`cb.store_id`, sql`cb.cart_id`)}) h), 'Email Sent') else cb.badge end
    where cb.store_id = ${storeId} and cb.cart_id = ${cartId}`.execute(db)
}

/** The response was a machine's: "No Response" is due again, unless a person responded since the newest send. */
async function revokeResponse({ db, storeId }: StoreTx, cartId: string): Promise<void> {
  await sql`update cart_badges cb set no_response_at = cb.last_sent_at + interval '24 hours'
    from carts c where cb.store_id = ${storeId} and cb.cart_id = ${cartId} and cb.no_response_at is null
      and c.store_id = cb.store_id and c.id = cb.cart_id
      and c.status in ('abandoned', 'active', 'lost') and cb.badge not in ('Recovered', 'No Response')
      and not ${hasReacted}`.execute(db)
}
