import type { TemplateCoupon } from '../../messages/templates/context.ts'
import { formatMinor } from './amounts.ts'

// A coupon in the words of a message. Pure.

export interface ShownCoupon {
  code: string
  /** Hundredths of a percent; null: an amount. */
  percent: number | null
  /** Off the cart, or off each piece. */
  amountMinor: number | null
  currency: string
  /** It takes nothing off the goods. */
  isFreeShipping: boolean
  /** null: it has none. */
  minSpendMinor: number | null
  /** null: never. */
  expiresAt: Date | null
  /** The goods of the cart with it, as they are shown; null: there is no cart, or it cannot be known. */
  totalMinor: number | null
}

interface ShownIn {
  valueMinor: number
  /** null: there is no cart. */
  currency: string | null
  timeZone: string
}

export function couponInWords(coupon: ShownCoupon, { valueMinor, currency, timeZone }: ShownIn): TemplateCoupon {
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

/** Fits wherever "a discount" fits. */
function offerText(coupon: ShownCoupon): string {
  if (coupon.isFreeShipping) return 'free shipping'
  const amount = amountText(coupon)
  return amount ? `${amount} off` : 'a discount'
}

function amountText({ percent, amountMinor, currency }: ShownCoupon): string {
  if (percent !== null) return percentText(percent)
  return amountMinor ? formatMinor(amountMinor, currency) : ''
}

/** Hundredths of a percent: "10%", "12.5%". */
const percentText = (hundredths: number): string => `${hundredths / 100}%`

const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/**
 * The day in the store's zone; with the time and the zone where it does not end with a day. One that ends as a day begins is good until the day
 * before, so that nothing later is said than is true.
 */
export function expiryText(end: Date, timeZone: string): string {
  // Nobody uses a coupon in the last second of a day.
  const last = Temporal.Instant.fromEpochMilliseconds(end.getTime() - 1).toZonedDateTimeISO(timeZone)
  const day = days.format(new Date(`${last.toPlainDate()}T00:00:00Z`))
  if (last.hour === 23 && last.minute === 59) return day
  const time = Temporal.Instant.fromEpochMilliseconds(end.getTime()).toZonedDateTimeISO(timeZone)
  const hour = time.hour % 12 === 0 ? 12 : time.hour % 12
  return `${day}, ${hour}:${String(time.minute).padStart(2, '0')} ${time.hour < 12 ? 'AM' : 'PM'} ${zoneName(end, timeZone)}`
}

/** "EST", or "GMT+1" where it has no short name in English. */
const zoneName = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')!.value
