import { expect, test } from 'vitest'
import { restoreLink } from './platform.ts'

const shop = { homeUrl: 'https://shop.example/', hasCheckoutLink: true }
const items = [
  { productId: '1', variationId: '11', quantity: 2 },
  { productId: '1', variationId: '11', quantity: 1 },
  { productId: '2', variationId: '22', quantity: 1 },
]
const url = 'https://shop.example/1/checkouts/ac/eeafa272cebfd4b2/recover?key=6edd'
const createdAt = '2026-11-26T12:00:00Z'
const at = (minutes: number) => new Date(Date.parse(createdAt) + minutes * 60_000)

test('is the shop’s own checkout link, with the code and further parameters', () => {
  const along = { coupon: 'BACK 10&x', extra: { utm_source: 'recoup' } }
  const link = restoreLink({ ...shop, checkout: { url, createdAt }, now: at(10) }, items, along)
  expect(link).toEqual({ url: `${url}&discount=BACK+10%26x&utm_source=recoup`, items })
})

test('is a cart permalink in the first ten minutes, when the checkout link does not work', () => {
  const link = restoreLink({ ...shop, checkout: { url, createdAt }, now: at(9) }, items, { coupon: 'A' })
  expect(link?.url).toBe('https://shop.example/cart/11:3,22:1?discount=A')
})

test('uses variants only without a checkout, and is null without any variant', () => {
  const mixed = [
    ...items,
    { productId: '3', variationId: null, quantity: 1 },
    { productId: '4', variationId: '../x', quantity: 1 },
  ]
  expect(restoreLink(shop, mixed)).toEqual({ url: 'https://shop.example/cart/11:3,22:1', items })
  expect(restoreLink(shop, [{ productId: '3', variationId: null, quantity: 1 }])).toBeNull()
  expect(restoreLink(shop, [{ productId: '3', variationId: '33', quantity: Number.NaN }])).toBeNull()
})
