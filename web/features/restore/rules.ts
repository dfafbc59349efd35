import type { z } from 'zod'
import type { CartView, RestorableCart } from '../../../shared/carts/carts.ts'
import type { ItemOutcome, restoreCart } from '../../../shared/delivery/restore.ts'
import { formatAmount } from './languages.ts'
import { getText } from './restore-copy.ts'

// Texts of the shopper's pages. Pure.

export type RestoredReply = z.infer<typeof restoreCart.reply>
type Item = RestoredReply['items'][number]

/** Bought since, and the order is valid. Members see the whole cart with its state. */
export const isBought = (cart: RestorableCart | CartView): boolean =>
  'isOrdered' in cart ? cart.isOrdered : !cart.is_void && (cart.state === 'recovered' || cart.state === 'purchased')

export const isOmitted = ({ outcome }: Pick<Item, 'outcome'>): boolean =>
  outcome === 'gone' || outcome === 'choose_again'

/** Some items can be restored. */
export const isOnOffer = (cart: RestorableCart | CartView): boolean =>
  cart.items.some((item) => !('outcome' in item && isOmitted({ outcome: item.outcome as ItemOutcome })))

/** The discount as the message stated it; null without a coupon or if unknown. */
export function computeTotal(cart: RestorableCart | CartView): number | null {
  const saving = ('coupon' in cart && cart.coupon?.saving) || null
  return saving === null ? null : Math.max(0, cart.total - saving)
}

/** Nothing got worse than the page had announced, so the shopper may continue without another message. */
export function isAsAnnounced(
  cart: RestorableCart | CartView,
  restored: { items: readonly Pick<Item, 'outcome' | 'quantity' | 'price'>[]; coupon: RestoredReply['coupon'] },
): boolean {
  // First say that it is not in the cart.
  if (restored.coupon && restored.coupon.outcome !== 'carried') return false
  return restored.items.every((item, index) => {
    const result = cart.items[index]
    if (!result) return false
    const before = 'outcome' in result ? result : { ...result, outcome: 'ok' as const, now: result }
    if (isOmitted(before)) return true
    return !isOmitted(item) && item.quantity >= before.now.quantity && item.price <= before.now.price
  })
}

/** Known differences of an item before restoring; null if unchanged. */
export function describeDifference(
  item: RestorableCart['items'][number],
  currency: string,
  locale: string,
): string | null {
  if (item.outcome === 'gone') return getText('isGone', locale)
  if (item.outcome === 'choose_again') return getText('needsChoice', locale)
  const sentences = [
    ...(item.outcome === 'quantity_clamped' ? [getText('onlyLeft', locale, { count: item.now.quantity })] : []),
    ...(item.now.price === item.price
      ? []
      : [getText('nowPrice', locale, { amount: formatAmount(item.now.price, currency, locale) })]),
  ]
  return sentences.join(' ') || null
}

/**
 * What changed about an item since the cart was abandoned; null if nothing did. It does not say what is in the cart: the
 * plugin fills it only after this page, and says then what it left out.
 */
export function describeOutcome(
  item: Pick<Item, 'outcome' | 'quantity' | 'price' | 'before'>,
  currency: string,
  locale: string,
): string | null {
  if (item.outcome === 'gone') return getText('isGone', locale)
  if (item.outcome === 'choose_again') return getText('chooseAgain', locale)
  const sentences = [
    ...(item.outcome === 'quantity_clamped' ? [getText('onlyLeftNow', locale, { count: item.quantity })] : []),
    ...(item.price === item.before.price
      ? []
      : [getText('wasPrice', locale, { amount: formatAmount(item.before.price, currency, locale) })]),
  ]
  return sentences.join(' ') || null
}

/** Result of the message's coupon; null if there is nothing to show. */
export function describeCoupon(coupon: RestoredReply['coupon'], locale: string): string | null {
  if (!coupon) return null
  const { code, outcome } = coupon
  if (outcome === 'refused') return getText('couponRefused', locale, { code })
  return outcome === 'to_enter' ? getText('couponToEnter', locale, { code }) : null
}
