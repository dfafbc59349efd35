import { type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'
import { isClaimed, isOpen, isSending, SCHEDULED, wasAttempted } from '../../messages/messages/fragments.ts'

// Statements for manually requested messages.

export interface NewManualMessage {
  rows: readonly { id: string; cartId: string }[]
  channel: 'email' | 'sms' | 'whatsapp'
  jobId: string | null
  askedBy: string
  toAddress: string | null
  templateId: string | null
  subject: string | null
  body: string | null
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
export async function insertManualMessage({ db, storeId }: StoreTx, wanted: NewManualMessage): Promise<string[]> {
  const { rows, now } = wanted
  const made = await sql<{ cart_id: string }>`
    with wanted as materialized (
      select w.id, w."cartId" as asked, c.id as cart_id, c.shopper_id
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w(id uuid, "cartId" uuid)
      join carts o on o.store_id = ${storeId} and o.id = w."cartId"
      join carts c on c.store_id = o.store_id and c.id = coalesce(o.merged_into, o.id)
      where c.status <> 'merged' order by c.id for share of c),
    planned as (
      insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step, channel, state, due_at, expires_at, wake_at,
        template_id, created_at, updated_at)
      select ${storeId}, id, cart_id, shopper_id, 'manual', id, 1, ${wanted.channel}, ${SCHEDULED}, ${wanted.dueAt},
        ${wanted.expiresAt}, ${wanted.wakeAt}, ${wanted.templateId}, ${now}, ${now} from wanted)
    insert into manual_messages (store_id, message_id, cart_id, job_id, asked_by, to_address, template_id, subject, body, coupon_id,
      cart_url, is_immediate, overrides_holdout, created_at)
    select ${storeId}, id, asked, ${wanted.jobId}, ${wanted.askedBy}, ${wanted.toAddress}, ${wanted.templateId},
      ${wanted.subject}, ${wanted.body}, ${wanted.couponId}, ${wanted.cartUrl}, ${wanted.isImmediate}, ${wanted.overridesHoldout}, ${now} from wanted
    returning cart_id`.execute(db)
  return made.rows.map((row) => row.cart_id)
}

/** The contact of the cart, or of the cart it was merged into. */
export async function readContact({ db, storeId }: StoreDb, cartId: string) {
  const rows = await sql<{ id: string; email: string | null; phone: string | null }>`
    select c.id, c.email, c.phone from carts o join carts c on c.store_id = o.store_id and c.id = coalesce(o.merged_into, o.id)
    where o.store_id = ${storeId} and o.id = ${cartId}`.execute(db)
  return rows.rows[0]
}

export async function isCustomer({ db, storeId }: StoreDb, email: string): Promise<boolean> {
  const rows =
    await sql`select 1 from customers where store_id = ${storeId} and lower(email) = ${email} limit 1`.execute(db)
  return rows.rows.length > 0
}

export interface Progress {
  state: string
  reason: string | null
  provider_response: string | null
  due_at: Date
  /** When the newest decision allows the next attempt. */
  until: Date | null
}

export async function readProgress({ db, storeId }: StoreDb, messageId: string): Promise<Progress | undefined> {
  const rows = await sql<Progress>`
    select m.state, m.reason, m.provider_response, m.due_at, (select d.until from decisions d where d.store_id = m.store_id
      and d.message_id = m.id order by d.at desc, d.id desc limit 1) as until
    from messages m where m.store_id = ${storeId} and m.id = ${messageId}`.execute(db)
  return rows.rows[0]
}

export interface TextState {
  cart_id: string
  channel: 'sms' | 'whatsapp'
  state: string
  reason: string | null
  at: Date
  attempts: number
  /** Reported by WhatsApp, unless the shopper has disabled read receipts. */
  read_at: Date | null
  provider_response: string | null
}

/**
 * The newest message per cart and text channel that is sent or being sent, with its send count. Excludes messages
 * rejected before sending and those waiting for a later day.
 */
export async function textStates({ db, storeId }: StoreDb, cartIds: readonly string[]): Promise<TextState[]> {
  const rows = await sql<TextState>`
    select wanted.id as cart_id, t.channel, t.state, t.reason, t.at, t.attempts, t.provider_response, read.at as read_at
    from unnest(${[...cartIds]}::uuid[]) as wanted(id)
    cross join lateral (
      select distinct on (m.channel) m.channel, m.state, m.reason, coalesce(m.sending_at, m.updated_at) as at,
        m.provider_response, m.provider_id,
        (sum(m.attempts + case when ${isSending('m')} then 1 else 0 end) over (partition by m.channel))::int as attempts
      from messages m left join manual_messages r on r.store_id = m.store_id and r.message_id = m.id
      where m.store_id = ${storeId} and m.cart_id = wanted.id and m.channel in ('sms', 'whatsapp')
        and (${wasAttempted('m')} or (${isOpen('m')} and (r.is_immediate or ${isClaimed('m')})))
      order by m.channel, coalesce(m.sending_at, m.created_at) desc, m.id desc) t
    left join stores s on s.id = ${storeId}
    left join delivery_reports read on read.account_id = s.account_id and read.channel = t.channel
      and read.provider_id = t.provider_id and read.status = 'read'`.execute(db)
  return rows.rows
}

export async function insertTestLinks(
  { db, storeId }: StoreDb,
  links: {
    /** null: the message is about no cart. */
    cartId: string | null
    tokens: readonly { hash: string; purpose: string; target: string | null }[]
    at: Date
    until: Date
  },
): Promise<void> {
  await sql`insert into link_tokens (token_hash, store_id, message_id, cart_id, purpose, target, is_test, created_at, expires_at)
    select decode(t.hash, 'hex'), ${storeId}, null, ${links.cartId}, t.purpose, t.target, true, ${links.at}, ${links.until}
    from jsonb_to_recordset(${JSON.stringify(links.tokens)}::jsonb) as t(hash text, purpose text, target text)
    where t.purpose in ('restore', 'click')`.execute(db)
}
