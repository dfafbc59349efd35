import { getCurrencyExponent, parseMinor } from '../../../shared/core/money.ts'
import type { StepCoupon } from '../../../shared/marketing/flows.ts'
import { AppError } from '../../core/common/public.ts'

// Converts the coupon of a flow step or campaign between the API and the columns of both tables. Pure.

export interface CouponColumns {
  coupon_id: string | null
  coupon_fallback: 'without' | 'skip'
  coupon_first_order_only: boolean
  coupon_pause_days: number | null
  coupon_above_minor: number | null
}

export const COUPON_MISSING = 'This coupon no longer exists in your store. Choose another one.'

export function couponColumns(
  { couponId, fallback, firstOrderOnly, pauseDays, aboveAmount }: StepCoupon,
  currency: string,
): CouponColumns & { coupon_id: string } {
  const above = aboveAmount === null ? null : parseMinor(aboveAmount, currency)
  if (above === 0) throw new AppError('unprocessable', 'The value of the cart must be greater than 0.')
  return {
    coupon_id: couponId,
    coupon_fallback: fallback,
    coupon_first_order_only: firstOrderOnly,
    coupon_pause_days: pauseDays,
    coupon_above_minor: above,
  }
}

export function presentCoupon(row: CouponColumns, currency: string): StepCoupon | null {
  if (row.coupon_id === null) return null
  const { coupon_above_minor: above } = row
  return {
    couponId: row.coupon_id,
    fallback: row.coupon_fallback,
    firstOrderOnly: row.coupon_first_order_only,
    pauseDays: row.coupon_pause_days,
    aboveAmount: above === null ? null : above / 10 ** getCurrencyExponent(currency),
  }
}
