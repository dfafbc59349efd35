import { type StoreTx, sql } from '../core/db.ts'
import type { CouponsTable, CouponTerms } from '../schema/coupons.ts'

// The coupons of messages: SQL and nothing else.

export interface MessageCouponRow {
  message_id: string
  /** null: there is no such coupon. */
  coupon: CouponColumns | null
  /** Made for the message; null: none is wanted yet. */
  code: CodeColumns | null
  /** Orders of the shopper with the coupon's code. */
  used_before: number
  last_used_at: Date | null
}

/** As JSON has them. */
export interface CouponColumns extends Pick<CouponsTable, 'kind' | 'code' | 'type' | 'platform_type' | 'currency'> {
  id: string
  is_active: boolean
  percent: number | null
  amount_minor: number | null
  min_spend_minor: number | null
  max_spend_minor: number | null
  max_discount_minor: number | null
  starts_at: string | null
  ends_at: string | null
  usage_limit: number | null
  usage_count: number
  valid_hours: number
  is_tied_to_email: boolean
  terms: CouponTerms
  gone_at: string | null
}

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

/** Used: by an order that names a shared coupon made here, a personal code, or a code that a message to this shopper left with. */
export async function couponsOf(
  { db, storeId }: StoreTx,
  wanted: readonly { messageId: string; couponId: string; shopperId: string }[],
): Promise<MessageCouponRow[]> {
  const rows = await sql<MessageCouponRow>`
    select w."messageId" as message_id, to_jsonb(c) as coupon, to_jsonb(k) as code, coalesce(u.used_before, 0)::int as used_before,
      u.last_used_at
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w("messageId" uuid, "couponId" uuid, "shopperId" uuid)
    left join coupons c on c.store_id = ${storeId} and c.id = w."couponId"
    left join coupon_codes k on k.store_id = ${storeId} and k.message_id = w."messageId" and k.coupon_id = c.id
    cross join lateral (
      select count(*) filter (where p.code = upper(c.code)) as used_before, max(o.purchased_at) filter (where
        exists (select 1 from coupons x where x.store_id = ${storeId} and x.made_by = 'recoup' and x.kind = 'shared' and upper(x.code) = p.code)
        or exists (select 1 from coupon_codes y where y.store_id = ${storeId} and y.code = p.code)
        or exists (select 1 from messages h where h.store_id = ${storeId} and h.shopper_id = o.shopper_id
          and h.handed_over_at is not null and h.coupon_code = p.code)) as last_used_at
      from orders o join order_coupons p on p.store_id = o.store_id and p.order_id = o.order_id
      where o.store_id = ${storeId} and o.shopper_id = w."shopperId" and o.purchased_at is not null) u`.execute(db)
  return rows.rows
}
