import { type StoreDb, sql } from '../../core/db/public.ts'
import type { CouponsTable, CouponTerms } from '../../core/schema/public.ts'
import { codeTerms, fitsCurrentCart, hasCurrentAmount, selectCouponWording } from './fragments.ts'

// SQL for the coupons of messages.

export interface MessageCouponRow {
  message_id: string
  coupon_id: string
  /** The message's own code; null: none yet. */
  code: CodeColumns | null
  /** Whether the code was created with the coupon's current terms. */
  is_of_terms: boolean | null
  /** Whether its amount was computed for the items still available. */
  is_of_goods: boolean | null
  /** Orders of the shopper with the coupon's code. */
  used_before: number
  last_used_at: Date | null
}

export interface CouponColumns extends Pick<CouponsTable, 'kind' | 'code' | 'type' | 'platform_type' | 'currency'> {
  id: string
  /** The coupon data shown in a message. */
  wording: string
  is_active: boolean
  percent: number | null
  amount_minor: number | null
  min_spend_minor: number | null
  max_spend_minor: number | null
  max_discount_minor: number | null
  starts_at: Date | null
  ends_at: Date | null
  usage_limit: number | null
  usage_count: number
  valid_hours: number
  is_tied_to_email: boolean
  terms: CouponTerms
  gone_at: Date | null
}

/** As parsed from JSON. */
export interface CodeColumns {
  code: string
  state: 'wanted' | 'made' | 'failed' | 'deleted'
  amount_minor: number | null
  cart_version: number | null
  expires_at: string
  refusal: string | null
  next_try_at: string
  used_at: string | null
}

/** Each once, however many messages use it. */
export async function selectCouponsById({ db, storeId }: StoreDb, ids: readonly string[]): Promise<CouponColumns[]> {
  const rows = await sql<CouponColumns>`
    select c.id, c.kind, c.code, c.type, c.platform_type, c.currency, c.is_active, c.percent, c.amount_minor, c.min_spend_minor,
      c.max_spend_minor, c.max_discount_minor, c.starts_at, c.ends_at, c.usage_limit, c.usage_count, c.valid_hours, c.is_tied_to_email,
      c.terms, c.gone_at, ${selectCouponWording('c')} as wording
    from coupons c where c.store_id = ${storeId} and c.id = any(${[...ids]}::uuid[])`.execute(db)
  return rows.rows
}

/** Counts as used: orders with a shared coupon created here, a personal code, or a code sent to this shopper. */
export async function selectMessageCoupons(
  { db, storeId }: StoreDb,
  targets: readonly { messageId: string; couponId: string; shopperId: string }[],
): Promise<MessageCouponRow[]> {
  const rows = await sql<MessageCouponRow>`
    select w."messageId" as message_id, w."couponId" as coupon_id, to_jsonb(k) as code, k.terms = ${codeTerms('c')} as is_of_terms,
      case when k.message_id is not null then ${hasCurrentAmount('c', 't')} end as is_of_goods, coalesce(u.used_before, 0)::int as used_before,
      u.last_used_at
    from jsonb_to_recordset(${JSON.stringify(targets)}::jsonb) as w("messageId" uuid, "couponId" uuid, "shopperId" uuid)
    left join coupons c on c.store_id = ${storeId} and c.id = w."couponId"
    left join coupon_codes k on k.store_id = ${storeId} and k.message_id = w."messageId" and k.coupon_id = c.id
    left join messages m on m.store_id = ${storeId} and m.id = w."messageId"
    left join carts t on t.store_id = m.store_id and t.id = m.cart_id
    cross join lateral (
      select count(*) filter (where p.code = c.code) as used_before, max(o.purchased_at) filter (where
        exists (select 1 from coupons x where x.store_id = ${storeId} and x.made_by = 'recoup' and x.kind = 'shared' and x.code collate "C" = p.code)
        or exists (select 1 from coupon_codes y where y.store_id = ${storeId} and y.code = p.code)
        or exists (select 1 from messages h where h.store_id = ${storeId} and h.shopper_id = o.shopper_id
          and h.sending_at is not null and h.coupon_code = p.code)) as last_used_at
      from orders o join order_coupons p on p.store_id = o.store_id and p.order_id = o.order_id
      where o.store_id = ${storeId} and o.shopper_id = w."shopperId" and o.purchased_at is not null) u`.execute(db)
  return rows.rows
}

export interface StoredCoupon {
  /** null for the code of a personal coupon. */
  coupon_id: string | null
  message_id: string | null
  platform_id: string
}

/** Coupons and codes of these messages that exist in the store, each once. */
export async function selectStoredCoupons(
  { db, storeId }: StoreDb,
  messageIds: readonly string[],
): Promise<StoredCoupon[]> {
  const rows = await sql<StoredCoupon>`
    with wanted as (
      select m.id, coalesce(fs.coupon_id, r.coupon_id, g.coupon_id) as coupon_id from messages m
      left join flow_steps fs on m.origin_kind = 'flow' and fs.store_id = m.store_id and fs.flow_id = m.origin_id and fs.id = m.step_id
      left join manual_messages r on m.origin_kind = 'manual' and r.store_id = m.store_id and r.message_id = m.id
      left join campaigns g on m.origin_kind = 'campaign' and g.store_id = m.store_id and g.id = m.origin_id
      where m.store_id = ${storeId} and m.id = any(${[...messageIds]}::uuid[]) and coalesce(fs.coupon_id, r.coupon_id, g.coupon_id) is not null)
    select distinct c.id as coupon_id, null::uuid as message_id, c.platform_id from wanted w
      join coupons c on c.store_id = ${storeId} and c.id = w.coupon_id
      where c.platform_id is not null and c.gone_at is null
    union all
    select null, k.message_id, k.platform_id from wanted w
      join coupon_codes k on k.store_id = ${storeId} and k.message_id = w.id and k.coupon_id = w.coupon_id
      where k.platform_id is not null and k.state = 'made'`.execute(db)
  return rows.rows
}

export interface NamedRow {
  message_id: string
  coupon_id: string
  used_before: number
}

/** Coupons by upper-case code. If two have one code, the later one, as in the store. */
export async function selectCouponsByCode(
  { db, storeId }: StoreDb,
  targets: readonly { messageId: string; shopperId: string; code: string }[],
): Promise<NamedRow[]> {
  const rows = await sql<NamedRow>`
    select w."messageId" as message_id, c.id as coupon_id, u.used_before
    from jsonb_to_recordset(${JSON.stringify(targets)}::jsonb) as w("messageId" uuid, "shopperId" uuid, code text)
    cross join lateral (
      select c.id from coupons c where c.store_id = ${storeId} and c.code collate "C" = w.code and c.kind = 'shared' and c.gone_at is null
      order by c.created_at desc, c.id desc limit 1) c
    cross join lateral (
      select count(*)::int as used_before from orders o
      join order_coupons p on p.store_id = o.store_id and p.order_id = o.order_id and p.code = w.code
      where o.store_id = ${storeId} and o.shopper_id = w."shopperId" and o.purchased_at is not null) u`.execute(db)
  return rows.rows
}

/** Marks coupons that the store no longer has. */
export async function markMissing({ db, storeId }: StoreDb, couponIds: readonly string[], now: Date): Promise<void> {
  await sql`update coupons set gone_at = ${now}
    where store_id = ${storeId} and id = any(${[...couponIds]}::uuid[]) and gone_at is null`.execute(db)
}

export interface CodeState {
  messageId: string
  platformId: string
  /** null: the store no longer has the code. */
  inStore: { expiresAt: string | null; isUsed: boolean } | null
}

/** Saves the store's state of personal codes: deleted there, used, or ended earlier. */
export async function updateCodes({ db, storeId }: StoreDb, codes: readonly CodeState[], now: Date): Promise<void> {
  await sql`update coupon_codes k set
      state = case when n."inStore" is null then 'deleted' else k.state end,
      deleted_at = case when n."inStore" is null then ${now}::timestamptz else k.deleted_at end,
      used_at = case when (n."inStore" ->> 'isUsed')::boolean then coalesce(k.used_at, ${now}) else k.used_at end,
      expires_at = least(k.expires_at, (n."inStore" ->> 'expiresAt')::timestamptz)
    from jsonb_to_recordset(${JSON.stringify(codes)}::jsonb) as n("messageId" uuid, "platformId" text, "inStore" jsonb)
    where k.store_id = ${storeId} and k.message_id = n."messageId" and k.platform_id = n."platformId" and k.state = 'made'
      and (n."inStore" is null or (n."inStore" ->> 'isUsed')::boolean
        or (n."inStore" ->> 'expiresAt')::timestamptz < k.expires_at)`.execute(db)
}

/** Returns those ids whose coupon was not deleted. */
export async function selectExistingCoupons({ db, storeId }: StoreDb, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('coupons')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', 'in', [...ids])
    .where('gone_at', 'is', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Whether each of its messages gets its own code. */
export async function isPersonal({ db, storeId }: StoreDb, id: string): Promise<boolean> {
  const rows = await db
    .selectFrom('coupons')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('kind', '=', 'personal')
    .execute()
  return rows.length > 0
}

/** Messages whose personal code exists in the store, for the current cart and terms. */
export async function selectWithCode(
  { db, storeId }: StoreDb,
  targets: readonly { messageId: string; couponId: string }[],
): Promise<string[]> {
  const rows = await sql<{ message_id: string }>`
    select k.message_id from jsonb_to_recordset(${JSON.stringify(targets)}::jsonb) as w("messageId" uuid, "couponId" uuid)
    join coupon_codes k on k.store_id = ${storeId} and k.message_id = w."messageId" and k.coupon_id = w."couponId"
    join coupons q on q.store_id = k.store_id and q.id = k.coupon_id
    left join carts c on c.store_id = k.store_id and c.id = k.cart_id
    where k.state = 'made' and k.used_at is null and k.terms = ${codeTerms('q')} and ${fitsCurrentCart}`.execute(db)
  return rows.rows.map((row) => row.message_id)
}
