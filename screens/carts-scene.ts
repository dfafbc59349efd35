import { type CartView, getCart, listAbandonedCarts } from '../shared/carts/carts.ts'
import { cartReach } from '../shared/carts/reach.ts'
import { cartEligibility, lastMessage } from '../shared/delivery/reminders.ts'
import { countAudience } from '../shared/marketing/audience.ts'
import { previewMessage } from '../shared/marketing/message-preview.ts'
import { type Api, fixture } from './api.ts'
import { NOW } from './app.ts'

// Carts of the list, and replies of the send dialogs.

const recorded = (fixture(listAbandonedCarts) as { carts: CartView[] }).carts

export const subtractHours = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000).toISOString()

/** Each with its own name and id, newest first. */
export const buildCarts = (count: number): CartView[] =>
  Array.from({ length: count }, (_, index) => {
    const cart = recorded[index % recorded.length]!
    const id = cart.id.slice(0, -4) + String(1_000 + index)
    const last_activity = subtractHours(3 + index)
    return {
      ...cart,
      id,
      cart_id: id,
      customer_name: `Shopper ${index + 1}`,
      last_activity,
      abandoned_at: last_activity,
    }
  })

/** With a phone. */
export const [sampleCart] = recorded as [CartView]

/** A page of ten rows. */
export const toCartList = (carts: CartView[], total = carts.length, page = 1) => ({
  carts,
  pagination: { page, limit: 10, total, pages: Math.ceil(total / 10) },
  syncAgeSeconds: 5,
})

/** The list has these carts, on any page. */
export function serveCarts(api: Api, carts: CartView[], total = carts.length): void {
  api.answer(listAbandonedCarts, ({ query }) => toCartList(carts, total, query.page))
  api.answer(getCart, ({ params }) => ({ cart: carts.find(({ id }) => id === params.id) ?? sampleCart }))
  api.answer(cartReach, { reachable: carts.length, reasons: [] })
}

export const makeAllEligible = (carts: CartView[]) => ({
  total: carts.length,
  eligible: carts.map(({ id }) => id),
  reasons: [],
  price: null,
})

const TEXT = '# Your cart\n\n{{ cart_items }}\n\n{{ checkout_link }}'

/** All these carts are eligible in the send dialogs. */
export function prepareSending(api: Api, carts: CartView[] = [sampleCart]): void {
  serveCarts(api, carts)
  api.answer(cartEligibility, makeAllEligible(carts))
  api.answer(lastMessage, { message: null })
  api.answer(countAudience, {
    total: carts.length,
    eligible: carts.length,
    reasons: [],
    judged: null,
    minutes: null,
    left: null,
    quietPercent: 0,
    price: null,
  })
  api.answer(previewMessage, ({ body: { body = TEXT, subject = 'Complete Your Purchase', channel } }) => {
    const unknown = /\{\{ (nonsense) \}\}/.exec(body)
    return {
      subject,
      html: channel === 'email' ? `<p>${body}</p>` : '',
      text: body,
      segments: channel === 'sms' ? 1 : null,
      price: channel === 'sms' ? { amount: 0.0079, currency: 'USD' } : null,
      words: channel === 'whatsapp' ? null : { subject, body },
      problem: unknown ? `The text uses the variable "${unknown[1]}", which does not exist.` : null,
      couponNote: null,
      couponWarning: null,
      decision: null,
    }
  })
}
