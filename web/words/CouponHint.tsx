import { Notice } from '../ui/Notice.tsx'
import { type CouponUse, couponWarnings, type Words } from './rules.ts'

/** Said while somebody writes: what messages without a coupon lose of these words. */
export function CouponHint({ words, coupon, isText }: { words: Words; coupon: CouponUse; isText: boolean }) {
  const warnings = couponWarnings(words, coupon, isText)
  if (warnings.length === 0) return null
  return (
    <Notice tone="warn" isLive>
      {warnings.join(' ')}
    </Notice>
  )
}
