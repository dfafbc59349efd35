import type { OriginKind } from '../../../shared/carts.ts'
import { CART_COLUMNS, withMerged } from '../../carts/carts/fragments.ts'
import type { ListedCart } from '../../carts/carts/list.ts'
import { type StoreDb, sql } from '../../core/db/db.ts'
import { wasEverAttempted } from '../../messages/messages/fragments.ts'

// Statements for the page of a cart.

export async function readCart({ db, storeId }: StoreDb, cartId: string): Promise<ListedCart | undefined> {
  const rows = await sql<ListedCart>`
    select ${CART_COLUMNS} from carts o join carts c on c.store_id = o.store_id and c.id = coalesce(o.merged_into, o.id)
    where o.store_id = ${storeId} and o.id = ${cartId}`.execute(db)
  return rows.rows[0]
}

/** Start of the newest order pull that completed (Y3). */
export async function lastSyncedAt({ db, storeId }: StoreDb): Promise<Date | null> {
  const rows = await sql<{ at: Date | null }>`
    select max(completed_start) as at from sync_state where store_id = ${storeId} and stream in ('order_check', 'sweep', 'import')`.execute(
    db,
  )
  return rows.rows[0]?.at ?? null
}

export interface MessageRow {
  id: string
  origin_kind: OriginKind
  origin_id: string
  origin_name: string | null
  is_discount: boolean
  /** Current position of its step; for a removed step, the last one. */
  step: number
  removed_step: string | null
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  state: string
  reason: string | null
  due_at: Date
  expires_at: Date
  wake_at: Date
  step_id: string | null
  variant_id: string | null
  /** null: no cart. Messages of a merged cart keep that cart's id. */
  cart_id: string | null
  sending_at: Date | null
  delivered_at: Date | null
  read_at: Date | null
  finished_at: Date | null
  to_address: string | null
  subject: string | null
  body_html: string | null
  provider_response: string | null
}

export interface FlowOfCart {
  id: string
  name: string
  isOn: boolean
}

/** The cart and the carts merged into it, each with its flow. */
export async function readFlows({ db, storeId }: StoreDb, cartId: string) {
  const { rows } = await sql<{ cart_id: string; flow: FlowOfCart | null }>`
    select c.id as cart_id, case when f.id is not null then jsonb_build_object('id', f.id, 'name', f.name, 'isOn', f.is_on) end as flow
    from carts c left join flows f on f.store_id = c.store_id and f.id = c.flow_id
    where c.store_id = ${storeId} and c.id in ${withMerged(storeId, cartId)}`.execute(db)
  return rows
}

export async function listCartMessages({ db, storeId }: StoreDb, cartId: string): Promise<MessageRow[]> {
  const rows = await sql<MessageRow>`
    select ${MESSAGE} where m.store_id = ${storeId} and m.cart_id = any(array${withMerged(storeId, cartId)})
    order by m.due_at, m.step`.execute(db)
  return rows.rows
}

/**
 * Messages with and without a cart, newest first, and their number. The ids are passed as an array: PostgreSQL reorders
 * joins of up to eight tables only, and a message already joins eight.
 */
export async function listShopperMessages(
  { db, storeId }: StoreDb,
  shopperId: string,
  most: number,
): Promise<(MessageRow & { total: number })[]> {
  const rows = await sql<MessageRow & { total: number }>`
    select count(*) over ()::int as total, ${MESSAGE} where m.store_id = ${storeId} and m.id = any(array(
      select x.id from carts c join messages x on x.store_id = c.store_id and x.cart_id = c.id
      where c.store_id = ${storeId} and c.shopper_id = ${shopperId}
      union all
      select x.id from messages x where x.store_id = ${storeId} and x.lone_shopper_id = ${shopperId}))
    order by coalesce(m.sending_at, m.due_at) desc, m.id desc limit ${most}`.execute(db)
  return rows.rows
}

const MESSAGE = sql`m.id, m.origin_kind, m.origin_id, coalesce(f.name, g.name) as origin_name, m.origin_kind = 'manual' and exists (
        select 1 from manual_messages h where h.store_id = m.store_id and h.message_id = m.id and h.coupon_id is not null) as is_discount, coalesce(fs.step, m.step) as step,
      case when fs.removed_at is not null then ft.name end as removed_step, m.channel, m.state, m.reason, m.due_at, m.expires_at, m.wake_at, m.step_id,
      m.variant_id, m.cart_id, m.sending_at, m.finished_at,
      case when ${wasEverAttempted('m')} then m.to_address end as to_address, case when ${wasEverAttempted('m')} then m.subject end as subject,
      case when ${wasEverAttempted('m')} then m.body_html end as body_html, m.provider_response,
      d.at as delivered_at, r.at as read_at
    from messages m join stores s on s.id = m.store_id
    left join delivery_reports d on d.account_id = s.account_id and d.channel = m.channel and d.provider_id = m.provider_id
      and d.status = 'delivered'
    left join delivery_reports r on r.account_id = s.account_id and r.channel = m.channel and r.provider_id = m.provider_id
      and r.status = 'read'
    left join flows f on f.store_id = m.store_id and f.id = m.origin_id and m.origin_kind in ('flow', 'push')
    left join flow_steps fs on fs.store_id = f.store_id and fs.flow_id = f.id and fs.id = m.step_id
    left join templates ft on ft.store_id = fs.store_id and ft.id = fs.template_id
    left join campaigns g on g.store_id = m.store_id and g.id = m.origin_id and m.origin_kind = 'campaign'`

export function readDecisions({ db, storeId }: StoreDb, messageIds: readonly string[]) {
  if (messageIds.length === 0) return Promise.resolve([])
  return (
    db
      .selectFrom('decision_records')
      .selectAll()
      .where('store_id', '=', storeId)
      .where('message_id', 'in', [...messageIds])
      .orderBy('at')
      // A result recorded in the same millisecond still follows its decision.
      .orderBy((eb) => eb('outcome', '=', 'result'))
      .orderBy('id')
      .execute()
  )
}

export function readEvents({ db, storeId }: StoreDb, cartId: string) {
  return db
    .selectFrom('cart_events')
    .select(['at', 'kind', 'detail'])
    .where('store_id', '=', storeId)
    .where('cart_id', '=', cartId)
    .orderBy('at')
    .orderBy('id')
    .execute()
}

export function readTouches({ db, storeId }: StoreDb, cartId: string) {
  return db
    .selectFrom('touchpoints')
    .select(['id', 'message_id', 'kind', 'is_human', 'class_reason', 'at'])
    .where('store_id', '=', storeId)
    .where('cart_id', 'in', withMerged(storeId, cartId))
    .orderBy('at')
    .execute()
}

export function readOrder({ db, storeId }: StoreDb, cartId: string) {
  return db
    .selectFrom('orders')
    .select(['order_id', 'total_minor', 'net_minor', 'currency', 'purchased_at', 'message_id', 'status'])
    .where('store_id', '=', storeId)
    .where('cart_id', '=', cartId)
    .orderBy('purchased_at')
    .limit(1)
    .executeTakeFirst()
}
