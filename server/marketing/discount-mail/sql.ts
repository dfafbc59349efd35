import { capitals } from '../../../shared/coupons.ts'
import type { CouponState } from '../../carts/coupons/validity.ts'
import { type StoreDb, sql } from '../../core/db/db.ts'

// Statements of discount mail.

const COUPON = sql`id, kind, code, type, platform_type as "platformType", percent, amount_minor as "amountMinor", currency,
  min_spend_minor as "minSpendMinor", max_spend_minor as "maxSpendMinor", starts_at as "startsAt", ends_at as "endsAt",
  usage_limit as "usageLimit", usage_count as "usageCount", is_active as "isActive", terms, gone_at as "goneAt"`

export interface CouponRow extends CouponState {
  id: string
  kind: 'shared' | 'personal'
  code: string
}

export async function readCoupon({ db, storeId }: StoreDb, id: string): Promise<CouponRow | undefined> {
  const { rows } = await sql<CouponRow>`
    select ${COUPON} from coupons where store_id = ${storeId} and id = ${id}`.execute(db)
  return rows[0]
}

/**
 * Codes are compared ignoring case (decision 31). For a personal coupon, the prefix of its codes is compared. If a
 * store holds a code twice, its checkout accepts the published one.
 */
export async function couponWithCode({ db, storeId }: StoreDb, code: string): Promise<CouponRow | undefined> {
  const { rows } = await sql<CouponRow>`
    select ${COUPON} from coupons where store_id = ${storeId} and code collate "C" = ${capitals(code)} and gone_at is null
    order by kind desc, (is_active and coalesce((terms ->> 'isPublished')::boolean, true)) desc, id limit 1`.execute(db)
  return rows[0]
}
