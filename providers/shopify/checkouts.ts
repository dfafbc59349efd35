// Checkouts: created from a cart, filled in, abandoned, recovered, completed.
import { createToken, resolveLines } from './carts.ts'
import { setConsent, upsertCustomer } from './customers.ts'
import { announce, type Desk } from './events.ts'
import type { Address, Cart, Checkout, Customer } from './model.ts'
import { checkoutBody } from './payloads.ts'
import { type Priced, priceLines } from './pricing.ts'
import { find, findByKey, listWhere, remove, save, takeNextId, transact } from './records.ts'
import type { Shop } from './shop.ts'

/** Returns the cart's open checkout or a new one, updated to the cart's lines. */
export function openCheckout(desk: Desk, cart: Cart): Checkout {
  const { shop } = desk
  return transact(shop.db, () => {
    const open = findOpenCheckout(shop, cart.token)
    const lines = resolveLines(shop, cart.lines)
    if (open && JSON.stringify(open.lines.map(toCartLine)) === JSON.stringify(lines.map(toCartLine))) return open
    const at = shop.now()
    const numbered = lines.map((line) => ({ ...line, id: takeNextId(shop.db, 'line') }))
    if (open) return saveCheckout(desk, { ...open, lines: numbered })
    const fresh: Checkout = {
      id: takeNextId(shop.db, 'checkout'),
      createdAt: at,
      updatedAt: at,
      token: createToken(),
      cartToken: cart.token,
      key: createToken(),
      completedAt: null,
      customerId: null,
      email: null,
      phone: null,
      locale: 'en',
      lines: numbered,
      codes: [],
      reductions: [],
      shipping: 'standard',
      address: null,
      orderId: null,
      acceptsEmail: false,
      acceptsSms: false,
      subtotalMinor: 0,
      discountMinor: 0,
      shippingMinor: 0,
      totalMinor: 0,
    }
    return saveCheckout(desk, fresh, true)
  })
}

const toCartLine = ({ variantId, quantity, unitMinor }: { variantId: number; quantity: number; unitMinor: number }) => [
  variantId,
  quantity,
  unitMinor,
]

function findOpenCheckout(shop: Shop, cartToken: string): Checkout | undefined {
  const sql = `kind = ? and json_extract(doc, '$.cartToken') = ? and json_extract(doc, '$.completedAt') is null order by id desc limit 1`
  return listWhere<'checkout'>(shop.db, sql, 'checkout', cartToken)[0]
}

export const findCheckout = ({ db }: Shop, text: string) => findByKey(db, 'checkout', text)

export interface CheckoutInput {
  email?: string | null
  phone?: string | null
  acceptsEmail?: boolean
  acceptsSms?: boolean
  shipping?: Checkout['shipping']
  address?: Address | null
}

/** Saves input when the shopper leaves a field. A contact creates a customer; a ticked box records consent. */
export function fillCheckout(desk: Desk, checkout: Checkout, input: CheckoutInput): Checkout {
  const { shop } = desk
  return transact(shop.db, () => {
    const next = { ...checkout, ...input }
    const address = next.address
    const met = upsertCustomer(desk, {
      email: next.email,
      phone: next.phone,
      locale: next.locale,
      address: address?.address1 ? address : null,
      firstName: address?.firstName ?? null,
      lastName: address?.lastName ?? null,
    })
    const customer = met && applyConsent(desk, met, next)
    return saveCheckout(desk, { ...next, customerId: customer?.id ?? null })
  })
}

function applyConsent(desk: Desk, met: Customer, { acceptsEmail, acceptsSms, email, phone }: Checkout): Customer {
  const state = { state: 'SUBSCRIBED', level: 'SINGLE_OPT_IN' } as const
  const first = acceptsEmail && email ? setConsent(desk, met, 'email', state) : met
  return acceptsSms && phone ? setConsent(desk, first, 'sms', state) : first
}

/** Returns the page's message if the code is invalid; then it is not saved. */
export function applyCode(
  desk: Desk,
  checkout: Checkout,
  code: string,
): { checkout: Checkout; problem: string | null } {
  const others = checkout.codes.filter((each) => each.toLowerCase() !== code.toLowerCase())
  const priced = priceCheckout(desk.shop, { ...checkout, codes: [...others, code] })
  const problem = priced.refused.find((each) => each.code.toLowerCase() === code.toLowerCase())?.message ?? null
  if (problem) return { checkout, problem }
  return {
    checkout: transact(desk.shop.db, () => saveCheckout(desk, { ...checkout, codes: [...others, code] })),
    problem,
  }
}

export const removeCode = (desk: Desk, checkout: Checkout, code: string) =>
  transact(desk.shop.db, () =>
    saveCheckout(desk, {
      ...checkout,
      codes: checkout.codes.filter((each) => each.toLowerCase() !== code.toLowerCase()),
    }),
  )

export function priceCheckout(shop: Shop, checkout: Checkout): Priced {
  const { lines, codes, shipping, email, customerId } = checkout
  const customer = customerId === null ? null : (find(shop.db, 'customer', customerId) ?? null)
  return priceLines(shop, { lines, codes, shipping, customer, email })
}

/** Recalculates prices and removes codes that are no longer valid. */
export function saveCheckout(desk: Desk, checkout: Checkout, isNew = false): Checkout {
  const { shop } = desk
  const { refused, ...sums } = priceCheckout(shop, checkout)
  const codes = sums.reductions.map(({ code }) => code)
  const saved = save(shop.db, 'checkout', { ...checkout, ...sums, codes, updatedAt: shop.now() })
  announce(desk, isNew ? 'CHECKOUTS_CREATE' : 'CHECKOUTS_UPDATE', checkoutBody(shop, saved))
  return saved
}

export function deleteCheckout(desk: Desk, id: number): boolean {
  const isDeleted = remove(desk.shop.db, 'checkout', id)
  if (isDeleted) announce(desk, 'CHECKOUTS_DELETE', { id, buyer_accepts_sms_marketing: false })
  return isDeleted
}

/** In a checkout's first ten minutes its recovery link leads to the home page. */
export const isRecoverable = (shop: Shop, { createdAt }: Checkout) => shop.now() - createdAt >= shop.recoverableAfterMs
