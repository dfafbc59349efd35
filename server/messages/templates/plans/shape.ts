// Which of a mail's values are there, and how many items: what a template's conditions can ask. Mails of one shape are planned alike. Pure.
import type { TemplateCoupon } from '../context.ts'
import type { Values } from '../values.ts'

/** More are named in no mail that is planned. */
export const MOST_ITEMS = 50

/** `usesItems`: its template names or counts them. null: mails like this one are not planned. */
export function shapeOf(values: Values, usesItems: boolean): string | null {
  const { items, coupon, entered, cartTotal, trackers, footer, isWithoutCart } = values
  if (usesItems && items.length > MOST_ITEMS) return null
  const bits = [
    isWithoutCart,
    footer.preferencesLink !== null,
    trackers.honeypotLink !== null,
    trackers.pixelUrl !== null,
    isThere(cartTotal),
    discountedTotalOf(values) === cartTotal,
  ]
  return [
    bits.map(Number).join(''),
    coupon ? stateOf(coupon) : '',
    entered ? stateOf(entered) : '',
    usesItems ? items.map(({ unitPrice, lineTotal }) => `${isThere(unitPrice)}${isThere(lineTotal)}`).join() : '',
  ].join('/')
}

export const discountedTotalOf = ({ coupon, entered, cartTotal }: Values): string =>
  (coupon ?? entered)?.total ?? cartTotal

const stateOf = ({ code, amount, offer, minimum, expires, total }: TemplateCoupon): string =>
  [code, amount, offer, minimum, expires, total].map(isThere).join('')

/** An empty text is something to `if`. */
const isThere = (value: string | null): 0 | 1 | 2 => (value === null ? 0 : value === '' ? 1 : 2)
