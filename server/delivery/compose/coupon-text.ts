import { getCopy } from '../../../shared/messages/copy/copy.ts'
import { formatExpiry, formatOffer, formatPercent } from '../../../shared/messages/mail-format.ts'
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
  locale: string
}

export function presentCoupon(
  coupon: DisplayedCoupon,
  { valueMinor, currency, timeZone, locale }: CouponPlacement,
): TemplateCoupon {
  const { code, isFreeShipping, minSpendMinor, expiresAt, totalMinor } = coupon
  const isKnown = currency !== null && totalMinor !== null
  return {
    code,
    amount: formatAmount(coupon, locale),
    offer: describeOffer(coupon, locale),
    isFreeShipping,
    minimum: minSpendMinor ? formatMinor(minSpendMinor, coupon.currency, locale) : null,
    expires: expiresAt && formatExpiry(expiresAt, timeZone, locale),
    saving: isKnown ? formatMinor(valueMinor - totalMinor, currency, locale) : null,
    total: isKnown ? formatMinor(totalMinor, currency, locale) : null,
  }
}

/** A phrase that replaces "a discount". */
function describeOffer(coupon: DisplayedCoupon, locale: string): string {
  if (!coupon.isFreeShipping) return formatOffer(formatAmount(coupon, locale), locale)
  const [first = '', ...rest] = getCopy('freeShipping', locale)
  return first.toLocaleLowerCase(locale) + rest.join('')
}

function formatAmount({ percent, amountMinor, currency }: DisplayedCoupon, locale: string): string {
  if (percent !== null) return formatPercent(percent, locale)
  return amountMinor ? formatMinor(amountMinor, currency, locale) : ''
}
