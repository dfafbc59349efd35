import { expect, it } from 'vitest'
import type { CartView } from '../../../shared/carts/carts.ts'
import { DEFAULT_BRAND } from '../../../shared/messages/brand.ts'
import {
  computeTotal,
  describeCoupon,
  describeDifference,
  describeOutcome,
  isAsAnnounced,
  isBought,
  isOnOffer,
} from './rules.ts'

type Outcome = 'ok' | 'quantity_clamped' | 'price_changed' | 'gone' | 'choose_again'
const buildItem = (outcome: Outcome, quantity: number, price = 20) => ({
  outcome,
  quantity,
  price,
  before: { quantity: 4, price: 20 },
})

it('describes the changes of an item', () => {
  expect(describeOutcome(buildItem('ok', 4), 'USD', 'en-US')).toBeNull()
  expect(describeOutcome(buildItem('quantity_clamped', 1), 'USD', 'en-US')).toBe('Only 1 is left.')
  expect(describeOutcome(buildItem('quantity_clamped', 3), 'USD', 'en-US')).toContain('Only 3 are left')
  expect(describeOutcome(buildItem('price_changed', 4, 22), 'USD', 'en-US')).toBe('It was $20.00 before.')
  expect(describeOutcome(buildItem('quantity_clamped', 1, 18), 'USD', 'en-US')).toBe(
    'Only 1 is left. It was $20.00 before.',
  )
  expect(describeOutcome(buildItem('gone', 1), 'USD', 'en-US')).toContain('No longer available')
})

it('does not say what is in the cart, which the plugin fills only after the page', () => {
  const outcomes = ['quantity_clamped', 'price_changed', 'gone', 'choose_again'] as const
  for (const outcome of outcomes)
    expect(describeOutcome(buildItem(outcome, 1, 22), 'USD', 'en-US')).not.toContain('your cart')
})

const buildOffer = (outcome: Outcome, now: { quantity: number; price: number }) => ({
  product_id: '1',
  product_name: 'Tea',
  image_url: null,
  url: null,
  price: 20,
  quantity: 4,
  outcome,
  now,
})
const buildCart = (...items: ReturnType<typeof buildOffer>[]) => ({
  items,
  total: 80,
  currency: 'USD',
  locale: 'en-US',
  storeName: 'Tea & Co',
  brand: DEFAULT_BRAND,
  shopUrl: 'https://shop.example',
  expiresAt: '',
  isOrdered: false,
  coupon: null,
})

it('announces changed items before they are restored', () => {
  expect(describeDifference(buildOffer('ok', { quantity: 4, price: 20 }), 'USD', 'en-US')).toBeNull()
  expect(describeDifference(buildOffer('quantity_clamped', { quantity: 2, price: 18 }), 'USD', 'en-US')).toBe(
    'Only 2 left. Now $18.00.',
  )
  expect(describeDifference(buildOffer('choose_again', { quantity: 4, price: 20 }), 'USD', 'en-US')).toMatch(
    /chosen again/,
  )
  expect(describeDifference(buildOffer('gone', { quantity: 4, price: 20 }), 'USD', 'en-US')).toMatch(/No longer/)
})

it('shows the total with the coupon if its discount is known', () => {
  const whole = buildCart(buildOffer('ok', { quantity: 4, price: 20 }))
  expect(computeTotal(whole)).toBeNull()
  expect(computeTotal({ ...whole, coupon: { code: 'CART10', saving: null } })).toBeNull()
  expect(computeTotal({ ...whole, coupon: { code: 'CART10', saving: 8 } })).toBe(72)
  expect(computeTotal({ ...whole, coupon: { code: 'CART10', saving: 90 } })).toBe(0)
})

it('mentions the coupon only if the shopper must know', () => {
  expect(describeCoupon(null, 'en-US')).toBeNull()
  expect(describeCoupon({ code: 'CART10', outcome: 'carried' }, 'en-US')).toBeNull()
  expect(describeCoupon({ code: 'CART10', outcome: 'refused' }, 'en-US')).toBe(
    'The shop did not accept the coupon CART10. Your cart is filled without it.',
  )
  expect(describeCoupon({ code: 'CART10', outcome: 'to_enter' }, 'en-US')).toMatch(
    /enter the coupon CART10 in the shop/,
  )
})

it('offers to continue while any item can be restored', () => {
  const now = { quantity: 4, price: 20 }
  expect(isOnOffer(buildCart(buildOffer('gone', now), buildOffer('choose_again', now)))).toBe(false)
  expect(isOnOffer(buildCart(buildOffer('gone', now), buildOffer('price_changed', now)))).toBe(true)
})

it('continues without another message unless the result is worse than announced', () => {
  const expected = buildCart(
    buildOffer('ok', { quantity: 4, price: 20 }),
    buildOffer('gone', { quantity: 4, price: 20 }),
  )
  const buildOutcome = (
    outcome: Outcome,
    quantity: number,
    coupon: Parameters<typeof describeCoupon>[0] = null,
    price = 20,
  ) => ({
    coupon,
    items: [
      { outcome, quantity, price },
      { outcome: 'gone' as const, quantity: 4, price },
    ],
  })
  expect(isAsAnnounced(expected, buildOutcome('ok', 4))).toBe(true)
  expect(isAsAnnounced(expected, buildOutcome('price_changed', 4))).toBe(true)
  expect(isAsAnnounced(expected, buildOutcome('price_changed', 4, null, 19))).toBe(true)
  expect(isAsAnnounced(expected, buildOutcome('price_changed', 4, null, 21))).toBe(false)
  expect(isAsAnnounced(expected, buildOutcome('quantity_clamped', 3))).toBe(false)
  expect(isAsAnnounced(expected, buildOutcome('choose_again', 4))).toBe(false)
  expect(isAsAnnounced(expected, buildOutcome('ok', 4, { code: 'CART10', outcome: 'carried' }))).toBe(true)
  expect(isAsAnnounced(expected, buildOutcome('ok', 4, { code: 'CART10', outcome: 'refused' }))).toBe(false)
})

it.each([
  ['purchased', undefined, true],
  ['recovered', undefined, true],
  ['abandoned', undefined, false],
  ['purchased', true, false],
  ['recovered', true, false],
] as const)('a member’s preview of a %s cart (void: %s) shows it as bought: %s', (state, is_void, isIt) => {
  expect(isBought({ state, ...(is_void && { is_void }) } as CartView)).toBe(isIt)
})
