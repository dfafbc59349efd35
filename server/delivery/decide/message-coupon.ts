import { buildGoodsKey, type Terms } from '../../carts/sync/public.ts'
import { buildCurrentContents } from '../compose/public.ts'
import { type CouponFinding, type DisplayedGoods, evaluateCoupon } from './coupon-finding.ts'
import type { DecisionContext } from './decision-inputs.ts'
import * as load from './evaluate-sql.ts'
import type { Situation } from './situation-sql.ts'

// Maps rows to the finding about a message's coupon. Pure except for the keyed hash of an address.

/** null: the message has no coupon. */
export function findCoupon(context: DecisionContext, row: load.ClaimedRow): CouponFinding | null {
  if (!row.coupon) return null
  const coupon = context.coupons.get(row.id)
  return evaluateCoupon(row.coupon, coupon, {
    now: context.now,
    cart: getDisplayedGoods(context, row),
    cartVersion: row.cart_version,
    hasBoughtBefore: row.has_bought_before,
    email: getEmail(context, row),
    isImagined: context.isImagined,
    unread: context.unread.get(row.id) ?? context.unread.get(row.coupon.id) ?? null,
  })
}

/** The address for coupons restricted to addresses: the recipient's, or for a text the known email address. */
export function getEmail({ deps }: DecisionContext, row: load.ClaimedRow) {
  const address = (row.channel === 'email' ? load.getAddress(row) : row.email)?.toLowerCase()
  return address ? { address, hashOf: (text: string) => deps.secrets.addressHash(text).toString('hex') } : null
}

export function getDisplayedGoods({ goods, situation }: DecisionContext, row: load.ClaimedRow): DisplayedGoods | null {
  const { currency } = row
  if (currency === null) return null
  const { items, valueMinor } = buildCurrentContents(row, goods)
  const available = items.filter((item) => !item.isGone)
  const priced = available.map((item) => {
    const terms = goods && 'terms' in goods ? goods.terms.get(buildGoodsKey(item)) : undefined
    const entered = isDisplayedAsEntered(situation) ? item.unitPriceMinor : enteredPrice(terms, currency)
    return { item, entered, isOnSale: terms?.isOnSale ?? null }
  })
  return {
    lines: priced.map(({ item: { productId, variationId, quantity, unitPriceMinor }, entered, isOnSale }) => ({
      productId,
      variationId,
      quantity,
      isOnSale,
      unitPriceMinor: entered ?? unitPriceMinor,
    })),
    displayed: available.map((item) => item.quantity * item.unitPriceMinor),
    displayedMinor: valueMinor,
    currency,
    rules: { currency, decimals: situation.price_decimals, isSequential: situation.is_discount_sequential ?? false },
    isUnknown: priced.some(({ entered }) => entered === null),
  }
}

/** A store that does not report its tax settings counts as showing prices as entered. */
const isDisplayedAsEntered = ({ prices_include_tax, shows_tax }: Situation): boolean =>
  prices_include_tax === null || shows_tax === null || prices_include_tax === shows_tax

/** null: the catalogue price is unknown. */
const enteredPrice = (terms: Terms | undefined, currency: string): number | null =>
  terms && terms.currency === currency ? (terms.enteredMinor ?? terms.priceMinor) : null

/** The coupon's part of the decision record: code, outcome and the store's error text. */
export function recordOfCoupon(coupon: CouponFinding | null): Record<string, unknown> {
  if (!coupon) return {}
  const { outcome, code } = coupon
  if (outcome === 'included') return { coupon: code, couponIncluded: true }
  return {
    coupon: code,
    couponIncluded: false,
    couponReason: coupon.reason,
    ...(coupon.outcome === 'waiting' && coupon.refusal ? { couponRefusal: coupon.refusal } : {}),
  }
}
