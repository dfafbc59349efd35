import type { Coupon, CouponOfStep } from '../../../shared/coupons.ts'
import type { PlatformName } from '../../platforms/platform/platform.ts'
import { findPlatform } from '../../platforms/registry/registry.ts'
import type { FiguresRow } from './list-sql.ts'
import { decimal } from './rules.ts'
import type { CouponRow, StepRow } from './sql.ts'

// Translates coupon rows to API responses (B 3).

export const presentStep = ({ flow_id, flow_name, step }: StepRow) => ({ flowId: flow_id, flowName: flow_name, step })

interface CouponContext {
  store: { platform: PlatformName; url: string; home_url: string }
  figures: FiguresRow | undefined
  steps: readonly StepRow[]
}

export function presentCoupon(row: CouponRow, { store, figures, steps }: CouponContext): Coupon {
  const isShared = row.kind === 'shared'
  const usageCount = isShared ? row.usage_count : (figures?.used_codes ?? 0)
  return {
    ...presentTerms(row),
    usageCount,
    validHours: row.valid_hours,
    isTiedToEmail: row.is_tied_to_email,
    editUrl:
      row.made_by === 'store' && row.platform_id
        ? findPlatform(store.platform).couponUrl({ storeUrl: store.url, homeUrl: store.home_url }, row.platform_id)
        : null,
    steps: steps.map(presentStep),
    figures: {
      issued: isShared ? null : (figures?.issued ?? 0),
      sent: figures?.sent ?? 0,
      used: usageCount,
      orders: figures?.orders ?? 0,
      netRevenue: decimal(figures?.net_minor ?? 0, row.currency),
      discountGiven: decimal(figures?.discount_minor ?? 0, row.currency),
    },
  }
}

export const presentCouponOfStep = (row: CouponRow): CouponOfStep => ({
  ...presentTerms(row),
  usageCount: row.usage_count,
  isGone: row.gone_at !== null,
})

function presentTerms(row: CouponRow) {
  const money = (minor: number | null) => (minor === null ? null : decimal(minor, row.currency))
  return {
    _id: row.id,
    code: row.code,
    type: row.type,
    platformType: row.platform_type,
    amount: row.percent === null ? (money(row.amount_minor) ?? 0) : row.percent / 100,
    minSpend: money(row.min_spend_minor),
    maxDiscount: money(row.max_discount_minor),
    startDate: (row.starts_at ?? row.created_at).toISOString(),
    endDate: row.ends_at?.toISOString() ?? null,
    usageLimit: row.usage_limit,
    isActive: row.is_active && row.terms.isPublished !== false,
    kind: row.kind,
    madeBy: row.made_by,
    currency: row.currency,
  }
}
