import { expect, test } from 'vitest'
import { restoreLink } from './restore.ts'

const shop = { homeUrl: 'https://shop.example/', hasCheckoutLink: true }
const items = [
  { productId: '1', variationId: '11', quantity: 2 },
  { productId: '1', variationId: '11', quantity: 1 },
  { productId: '2', variationId: '22', quantity: 1 },
]
const url = 'https://shop.example/1/checkouts/ac/eeafa272cebfd4b2/recover?key=6edd'
const createdAt = '2026-11-26T12:00:00Z'
const at = (minutes: number) => new Date(Date.parse(createdAt) + minutes * 60_000)

test('the shop’s own address of the checkout, with the code and what else comes along', () => {
  const along = { coupon: 'BACK 10&x', extra: { utm_source: 'recoup' } }
  const link = restoreLink({ ...shop, checkout: { url, createdAt }, now: at(10) }, items, along)
  expect(link).toEqual({ url: `${url}&discount=BACK+10%26x&utm_source=recoup`, items })
})

test('in its first ten minutes that address leads nowhere: a cart permalink instead', () => {
  const link = restoreLink({ ...shop, checkout: { url, createdAt }, now: at(9) }, items, { coupon: 'A' })
  expect(link?.url).toBe('https://shop.example/cart/11:3,22:1?discount=A')
})

test('without a checkout, variants alone; and with none of them nothing', () => {
  const mixed = [
    ...items,
    { productId: '3', variationId: null, quantity: 1 },
    { productId: '4', variationId: '../x', quantity: 1 },
  ]
  expect(restoreLink(shop, mixed)).toEqual({ url: 'https://shop.example/cart/11:3,22:1', items })
  expect(restoreLink(shop, [{ productId: '3', variationId: null, quantity: 1 }])).toBeNull()
  expect(restoreLink(shop, [{ productId: '3', variationId: '33', quantity: Number.NaN }])).toBeNull()
})
