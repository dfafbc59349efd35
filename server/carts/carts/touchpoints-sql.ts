import { type StoreTx, sql } from '../../core/db/db.ts'
import { becomesAccepted, isUnknown, newestSend } from '../../messages/messages/fragments.ts'
import { hasAnswered } from './fragments.ts'

// Statements on touchpoints and on a shopper's response to a message.

export async function insertTouchpoint(
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
export async function recordResponse(
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
      then coalesce((select h.badge from (${newestSend(sql`cb.store_id`, sql`cb.cart_id`)}) h), 'Email Sent') else cb.badge end
    where cb.store_id = ${storeId} and cb.cart_id = ${cartId}`.execute(db)
}

/** The response was a machine's: "No Response" is due again, unless a person responded since the newest send. */
export async function revokeResponse({ db, storeId }: StoreTx, cartId: string): Promise<void> {
  await sql`update cart_badges cb set no_response_at = cb.last_sent_at + interval '24 hours'
    from carts c where cb.store_id = ${storeId} and cb.cart_id = ${cartId} and cb.no_response_at is null
      and c.store_id = cb.store_id and c.id = cb.cart_id
      and c.status in ('abandoned', 'active', 'lost') and cb.badge not in ('Recovered', 'No Response')
      and not ${hasAnswered}`.execute(db)
}
