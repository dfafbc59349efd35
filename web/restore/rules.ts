import type { z } from 'zod'
import type { CartView, RestorableCart } from '../../shared/carts.ts'
import { type Language, languages } from '../../shared/preferences.ts'
import type { ItemOutcome, restoreCart } from '../../shared/restore.ts'
import { formatMoney } from '../ui/format.ts'

// Words of the shopper's pages. Pure.

type Reply = z.infer<typeof restoreCart.reply>
type Item = Reply['items'][number]

/** Bought meanwhile, and the order stands. A member is shown the whole cart, and its state says so. */
export const isBought = (cart: RestorableCart | CartView): boolean =>
  'isOrdered' in cart ? cart.isOrdered : !cart.is_void && (cart.state === 'recovered' || cart.state === 'purchased')

export const isLeftOut = ({ outcome }: Pick<Item, 'outcome'>): boolean =>
  outcome === 'gone' || outcome === 'choose_again'

/** Something of the cart can be put back. */
export const isOnOffer = (cart: RestorableCart | CartView): boolean =>
  cart.items.some((item) => !('outcome' in item && isLeftOut({ outcome: item.outcome as ItemOutcome })))

/** As the message says it; null: without a coupon, or where it is not known what it takes off. */
export function totalWithCoupon(cart: RestorableCart | CartView): number | null {
  const saving = ('coupon' in cart && cart.coupon?.saving) || null
  return saving === null ? null : Math.max(0, cart.total - saving)
}

/** Nothing turned out worse than the page had said: the shopper may be sent on without another word. */
export function isAsAnnounced(
  cart: RestorableCart | CartView,
  restored: { items: readonly Pick<Item, 'outcome' | 'quantity' | 'price'>[]; coupon: Reply['coupon'] },
): boolean {
  // The shopper reads first that it is not in the cart.
  if (restored.coupon && restored.coupon.outcome !== 'carried') return false
  return restored.items.every((item, index) => {
    const said = cart.items[index]
    if (!said) return false
    const before = 'outcome' in said ? said : { ...said, outcome: 'ok' as const, now: said }
    if (isLeftOut(before)) return true
    return !isLeftOut(item) && item.quantity >= before.now.quantity && item.price <= before.now.price
  })
}

/** What is known of an item before anything is pressed; null when it comes back as it was. */
export function announcement(item: RestorableCart['items'][number], currency: string): string | null {
  if (item.outcome === 'gone') return 'No longer available.'
  if (item.outcome === 'choose_again') return 'Needs to be chosen again.'
  const words = [
    ...(item.outcome === 'quantity_clamped' ? [`Only ${item.now.quantity} left.`] : []),
    ...(item.now.price === item.price ? [] : [`Now ${formatMoney(item.now.price, currency)}.`]),
  ]
  return words.join(' ') || null
}

/** What became of an item between leaving and coming back; null when nothing did. */
export function outcomeText(item: Pick<Item, 'outcome' | 'quantity' | 'price' | 'before'>, currency: string) {
  if (item.outcome === 'gone') return 'No longer available, so it is not in your cart.'
  if (item.outcome === 'choose_again') return 'Not in your cart: please choose it again.'
  const words = [
    ...(item.outcome === 'quantity_clamped' ? [clamped(item.quantity)] : []),
    ...(item.price === item.before.price ? [] : [`It was ${formatMoney(item.before.price, currency)} before.`]),
  ]
  return words.join(' ') || null
}

/** What became of the message's coupon; null: nothing is to be said. */
export function couponText(coupon: Reply['coupon']): string | null {
  if (!coupon) return null
  const { code, outcome } = coupon
  if (outcome === 'refused') return `The shop did not accept the coupon ${code}. Your cart is filled without it.`
  return outcome === 'to_enter' ? `Please enter the coupon ${code} in the shop yourself.` : null
}

const clamped = (left: number) =>
  left === 1 ? 'Only 1 is left, so we put 1 in your cart.' : `Only ${left} are left, so we put ${left} in your cart.`

/** What a browser asks for, before the server has said what the person chose. */
export function browserLanguage(wanted: readonly string[]): Language {
  const tags = wanted.map((tag) => tag.toLowerCase().split('-')[0])
  return languages.find((language) => language === tags.find((tag) => tag === 'en' || tag === 'de')) ?? 'en'
}
