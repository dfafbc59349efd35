import type { TemplateCoupon } from '../../messages/templates/public.ts'
import { formatMinor } from './amounts.ts'

// Describes a coupon for messages. Pure.

export interface DisplayedCoupon {
  code: string
  /** Hundredths of a percent; null: the discount is an amount. */
  percent: number | null
  /** Discount on the cart or on each item, in minor units. */
  amountMinor: number | null
  currency: string
  /** Free shipping, without a discount on the goods. */
  isFreeShipping: boolean
  /** null: no minimum. */
  minSpendMinor: number | null
  /** null: never. */
  expiresAt: Date | null
  /** The cart's shown total with the coupon; null: no cart, or unknown. */
  totalMinor: number | null
}

interface CouponPlacement {
  valueMinor: number
  /** null: there is no cart. */
  currency: string | null
  timeZone: string
}

export function presentCoupon(
  coupon: DisplayedCoupon,
  { valueMinor, currency, timeZone }: CouponPlacement,
): TemplateCoupon {
  const { code, minSpendMinor, expiresAt, totalMinor } = coupon
  const isKnown = currency !== null && totalMinor !== null
  return {
    code,
    amount: amountText(coupon),
    offer: offerText(coupon),
    minimum: minSpendMinor ? formatMinor(minSpendMinor, coupon.currency) : null,
    expires: expiresAt && expiryText(expiresAt, timeZone),
    saving: isKnown ? formatMinor(valueMinor - totalMinor, currency) : null,
    total: isKnown ? formatMinor(totalMinor, currency) : null,
  }
}

/** A phrase that replaces "a discount". */
function offerText(coupon: DisplayedCoupon): string {
  if (coupon.isFreeShipping) return 'free shipping'
  const amount = amountText(coupon)
  return amount ? `${amount} off` : 'a discount'
}

function amountText({ percent, amountMinor, currency }: DisplayedCoupon): string {
  if (percent !== null) return formatPercent(percent)
  return amountMinor ? formatMinor(amountMinor, currency) : ''
}

/** Formats hundredths of a percent: "10%", "12.5%". */
const formatPercent = (hundredths: number): string => `${hundredths / 100}%`

const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/**
 * The last valid day in the store's zone, with time and zone unless it is the end of the day. An end at midnight shows
 * the day before, so that the message promises no day too many.
 */
export function expiryText(end: Date, timeZone: string): string {
  // One millisecond earlier, so that midnight belongs to the day before.
  const last = Temporal.Instant.fromEpochMilliseconds(end.getTime() - 1).toZonedDateTimeISO(timeZone)
  const day = days.format(new Date(`${last.toPlainDate()}T00:00:00Z`))
  if (last.hour === 23 && last.minute === 59) return day
  const time = Temporal.Instant.fromEpochMilliseconds(end.getTime()).toZonedDateTimeISO(timeZone)
  const hour = time.hour % 12 === 0 ? 12 : time.hour % 12
  return `${day}, ${hour}:${String(time.minute).padStart(2, '0')} ${time.hour < 12 ? 'AM' : 'PM'} ${formatZone(end, timeZone)}`
}

/** "EST", or "GMT+1" where it has no short name in English. */
const formatZone = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')!.value
