// Checkouts: begun with a cart, filled by the shopper, left, recovered, completed.
import { linesOf, token } from './carts.ts'
import { meetCustomer, setConsent } from './customers.ts'
import { announce, type Desk } from './events.ts'
import type { Address, Cart, Checkout, Customer } from './model.ts'
import { checkoutBody } from './payloads.ts'
import { type Priced, price } from './pricing.ts'
import { find, findByKey, listed, nextId, remove, save, transact } from './records.ts'
import type { Shop } from './shop.ts'

/** The open one of a cart, or a new one; brought in line with what is in the cart. */
export function openCheckout(desk: Desk, cart: Cart): Checkout {
  const { shop } = desk
  return transact(shop.db, () => {
    const open = openOf(shop, cart.token)
    const lines = linesOf(shop, cart.lines)
    if (open && JSON.stringify(open.lines.map(bare)) === JSON.stringify(lines.map(bare))) return open
    const at = shop.now()
    const numbered = lines.map((line) => ({ ...line, id: nextId(shop.db, 'line') }))
    if (open) return keep(desk, { ...open, lines: numbered })
    const fresh: Checkout = {
      ...{ id: nextId(shop.db, 'checkout'), createdAt: at, updatedAt: at, token: token(), cartToken: cart.token },
      ...{ key: token(), completedAt: null, customerId: null, email: null, phone: null, locale: 'en' },
      ...{ lines: numbered, codes: [], reductions: [], shipping: 'standard', address: null, orderId: null },
      ...{
        acceptsEmail: false,
        acceptsSms: false,
        subtotalMinor: 0,
        discountMinor: 0,
        shippingMinor: 0,
        totalMinor: 0,
      },
    }
    return keep(desk, fresh, true)
  })
}

const bare = ({ variantId, quantity, unitMinor }: { variantId: number; quantity: number; unitMinor: number }) => [
  variantId,
  quantity,
  unitMinor,
]

function openOf(shop: Shop, cartToken: string): Checkout | undefined {
  const sql = `kind = ? and json_extract(doc, '$.cartToken') = ? and json_extract(doc, '$.completedAt') is null order by id desc limit 1`
  return listed<'checkout'>(shop.db, sql, 'checkout', cartToken)[0]
}

export const checkoutByToken = ({ db }: Shop, text: string) => findByKey(db, 'checkout', text)

export interface Filled {
  email?: string | null
  phone?: string | null
  acceptsEmail?: boolean
  acceptsSms?: boolean
  shipping?: Checkout['shipping']
  address?: Address | null
}

/** What the shopper typed, as soon as they leave a field. A contact makes a customer; a ticked box is their consent. */
export function fillCheckout(desk: Desk, checkout: Checkout, filled: Filled): Checkout {
  const { shop } = desk
  return transact(shop.db, () => {
    const next = { ...checkout, ...filled }
    const address = next.address
    const met = meetCustomer(desk, {
      ...{ email: next.email, phone: next.phone, locale: next.locale, address: address?.address1 ? address : null },
      ...{ firstName: address?.firstName ?? null, lastName: address?.lastName ?? null },
    })
    const customer = met && agree(desk, met, next)
    return keep(desk, { ...next, customerId: customer?.id ?? null })
  })
}

function agree(desk: Desk, met: Customer, { acceptsEmail, acceptsSms, email, phone }: Checkout): Customer {
  const given = { state: 'SUBSCRIBED', level: 'SINGLE_OPT_IN' } as const
  const first = acceptsEmail && email ? setConsent(desk, met, 'email', given) : met
  return acceptsSms && phone ? setConsent(desk, first, 'sms', given) : first
}

/** Answers what the page says when the code does not hold; then it is not kept. */
export function applyCode(
  desk: Desk,
  checkout: Checkout,
  code: string,
): { checkout: Checkout; problem: string | null } {
  const others = checkout.codes.filter((each) => each.toLowerCase() !== code.toLowerCase())
  const priced = priceOf(desk.shop, { ...checkout, codes: [...others, code] })
  const problem = priced.refused.find((each) => each.code.toLowerCase() === code.toLowerCase())?.words ?? null
  if (problem) return { checkout, problem }
  return { checkout: transact(desk.shop.db, () => keep(desk, { ...checkout, codes: [...others, code] })), problem }
}

export const dropCode = (desk: Desk, checkout: Checkout, code: string) =>
  transact(desk.shop.db, () =>
    keep(desk, { ...checkout, codes: checkout.codes.filter((each) => each.toLowerCase() !== code.toLowerCase()) }),
  )

export function priceOf(shop: Shop, checkout: Checkout): Priced {
  const { lines, codes, shipping, email, customerId } = checkout
  const customer = customerId === null ? null : (find(shop.db, 'customer', customerId) ?? null)
  return price(shop, { lines, codes, shipping, customer, email })
}

/** Prices it anew; a code that no longer holds leaves it. */
export function keep(desk: Desk, checkout: Checkout, isNew = false): Checkout {
  const { shop } = desk
  const { refused, ...sums } = priceOf(shop, checkout)
  const codes = sums.reductions.map(({ code }) => code)
  const saved = save(shop.db, 'checkout', { ...checkout, ...sums, codes, updatedAt: shop.now() })
  announce(desk, isNew ? 'CHECKOUTS_CREATE' : 'CHECKOUTS_UPDATE', checkoutBody(shop, saved))
  return saved
}

export function deleteCheckout(desk: Desk, id: number): boolean {
  const isGone = remove(desk.shop.db, 'checkout', id)
  if (isGone) announce(desk, 'CHECKOUTS_DELETE', { id, buyer_accepts_sms_marketing: false })
  return isGone
}

/** In its first ten minutes a recovery link leads to the home page. */
export const isRecoverable = (shop: Shop, { createdAt }: Checkout) => shop.now() - createdAt >= shop.recoverableAfterMs
