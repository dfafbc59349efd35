import { expect, it } from 'vitest'
import type { CartView } from '../../../shared/carts/carts.ts'
import { cartToShow } from './queries.ts'

it('previews a cart that would get the message, else one that waits, else the sample cart', () => {
  const cart = (id: string, more: Partial<CartView> = {}) =>
    ({ id, state: 'abandoned', customer_email: 'ada@shoppers.example', phone: null, ...more }) as CartView
  const carts = [
    cart('bought', { state: 'recovered' }),
    cart('nobody', { customer_email: null }),
    cart('refused'),
    cart('waits'),
    cart('ready'),
  ]
  const reason = (code: string, ...cartIds: string[]) => ({ reason: code, cartIds })
  const own = [reason('purchased', 'bought'), reason('no_contact', 'nobody'), reason('no_consent', 'refused')]
  const first = (eligible: string[], reasons = own, of = carts) => cartToShow(of, 'email', { eligible, reasons })
  expect(first(['ready'], [...own, reason('frequency_cap', 'waits')])).toBe('ready')
  expect(first([], [...own, reason('frequency_cap', 'waits')])).toBe('waits')
  // A reason that stops the whole store does not distinguish carts.
  expect(first([], [reason('sender_missing', ...carts.map(({ id }) => id))])).toBe('refused')
  expect(first([], own, carts.slice(0, 3))).toBe('sample')
  expect(cartToShow(carts, 'sms', { eligible: [], reasons: [] })).toBe('sample')
  expect(first([], [], [])).toBe('sample')
})
