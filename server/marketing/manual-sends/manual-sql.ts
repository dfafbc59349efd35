import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { type StoreTx, sql } from '../../core/db/public.ts'
import { SCHEDULED } from '../../messages/messages/public.ts'

// SQL for manually requested messages.

export interface NewManualMessage {
  rows: readonly { id: string; cartId: string }[]
  channel: 'email' | 'sms' | 'whatsapp'
  jobId: string | null
  requestedBy: string
  toAddress: string | null
  templateId: string | null
  subject: string | null
  body: string | null
  design: MailDocument | null
  /** Set for a discount mail. */
  couponId: string | null
  cartUrl: string | null
  isImmediate: boolean
  overridesHoldout: boolean
  dueAt: Date
  expiresAt: Date
  /** Earlier than the due time: sorts before the store's other messages. */
  wakeAt: Date
  now: Date
}

/** Delays closing the carts until 7 days after the send time (S5). Runs first: carts are locked before messages. */
export async function delayLoss({ db, storeId }: StoreTx, cartIds: readonly string[], dueAt: Date): Promise<void> {
  await sql`update carts set lost_at = ${dueAt}::timestamptz + interval '7 days'
    where store_id = ${storeId} and id = any(${[...cartIds]}::uuid[]) and status = 'abandoned'
      and lost_at < ${dueAt}::timestamptz + interval '7 days'`.execute(db)
}

/**
 * Creates one message per cart and returns the carts found. A merged cart counts as its survivor; a cart that turned
 * out to be none gets no message. The lock prevents merges meanwhile (S6).
 */
export async function insertManualMessage({ db, storeId }: StoreTx, input: NewManualMessage): Promise<string[]> {
  const { rows, now } = input
  const inserted = await sql<{ cart_id: string }>`
    with wanted as materialized (
      select w.id, w."cartId" as asked, c.id as cart_id, c.shopper_id
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w(id uuid, "cartId" uuid)
      join carts o on o.store_id = ${storeId} and o.id = w."cartId"
      join carts c on c.store_id = o.store_id and c.id = coalesce(o.merged_into, o.id)
      where c.status <> 'merged' order by c.id for share of c),
    planned as (
      insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step, channel, state, due_at, expires_at, wake_at,
        template_id, created_at, updated_at)
      select ${storeId}, id, cart_id, shopper_id, 'manual', id, 1, ${input.channel}, ${SCHEDULED}, ${input.dueAt},
        ${input.expiresAt}, ${input.wakeAt}, ${input.templateId}, ${now}, ${now} from wanted)
    insert into manual_messages (store_id, message_id, cart_id, job_id, asked_by, to_address, template_id, subject, body, design, coupon_id,
      cart_url, is_immediate, overrides_holdout, created_at)
    select ${storeId}, id, asked, ${input.jobId}, ${input.requestedBy}, ${input.toAddress}, ${input.templateId},
      ${input.subject}, ${input.body}, ${input.design && JSON.stringify(input.design)}::jsonb, ${input.couponId}, ${input.cartUrl}, ${input.isImmediate}, ${input.overridesHoldout}, ${now} from wanted
    returning cart_id`.execute(db)
  return inserted.rows.map((row) => row.cart_id)
}
