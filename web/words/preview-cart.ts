import type { CartView } from '../../shared/carts.ts'
import { SAMPLE_CART } from '../../shared/reminders.ts'
import { isAboutCart } from '../carts/reason-badges.ts'
import { hasWindow } from '../carts/sending.ts'

// Which cart a step is shown for at first. Pure.

type Reasons = readonly { reason: string; cartIds: readonly string[] }[]

/**
 * Which of the newest carts a message is shown for at first: one that would get it now; then one with nothing against it but time or
 * what stops the whole store; the sample cart where there is none.
 */
export function cartToShow(
  carts: readonly CartView[],
  channel: string,
  { eligible, reasons }: { eligible: readonly string[]; reasons: Reasons },
): string {
  const against = new Set(reasons.filter(({ reason }) => isAboutCart(reason)).flatMap(({ cartIds }) => cartIds))
  const isOpen = (cart: CartView) => hasWindow(cart.state) && addressOf(cart, channel) !== null
  const first = carts.find(({ id }) => eligible.includes(id))
  return (first ?? carts.find((cart) => isOpen(cart) && !against.has(cart.id)))?.id ?? SAMPLE_CART
}

const addressOf = (cart: CartView, channel: string) => (channel === 'email' ? cart.customer_email : cart.phone)
