import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RestoreItem } from '../platform/kind.ts'
import { restoreLink } from './restore.ts'

const restoreUrl = (profile: typeof modern, items: RestoreItem[], coupon: string | null = null) =>
  restoreLink(profile, items, { coupon })?.url ?? null

const modern = { homeUrl: 'https://shop.example', hasCheckoutLink: true }
const older = { ...modern, hasCheckoutLink: false }
const beanie = { productId: '16', variationId: null, quantity: 2 }
const hoodie = { productId: '13', variationId: '29', quantity: 1 }

test('a modern store restores the whole cart and the coupon, as recorded', () => {
  expect(restoreUrl(modern, [beanie, hoodie], 'welcome10')).toBe(
    'https://shop.example/checkout-link/?products=16:2,29:1&coupon=welcome10',
  )
})

test('has one entry per id, and encodes the coupon code', () => {
  expect(restoreUrl(modern, [beanie, beanie], '10 % & more')).toBe(
    'https://shop.example/checkout-link/?products=16:4&coupon=10%20%25%20%26%20more',
  )
})

test('an older store restores one product, preferably a simple one', () => {
  expect(restoreUrl(older, [hoodie, beanie], 'welcome10')).toBe('https://shop.example/?add-to-cart=16&quantity=2')
  expect(restoreUrl(older, [hoodie])).toBe('https://shop.example/?add-to-cart=29&quantity=1')
})

test('the link lists its items and includes further parameters', () => {
  expect(restoreLink(older, [hoodie, beanie])?.items).toEqual([beanie])
  expect(restoreLink(modern, [hoodie, beanie], { extra: { mark: 'a b' } })).toEqual({
    url: 'https://shop.example/checkout-link/?products=29:1,16:2&mark=a%20b',
    items: [hoodie, beanie],
  })
})

test('is null without a usable item', () => {
  for (const profile of [modern, older]) {
    expect(restoreUrl(profile, [])).toBeNull()
    expect(restoreUrl(profile, [{ productId: '1&coupon=free', variationId: null, quantity: 1 }])).toBeNull()
    expect(
      restoreUrl(profile, [
        { ...beanie, quantity: 0 },
        { ...beanie, quantity: Number.NaN },
      ]),
    ).toBeNull()
  }
})

test('stays on the store and contains only digits, for any items', () => {
  const item = fc.record({ productId: fc.string(), variationId: fc.option(fc.string()), quantity: fc.double() })
  fc.assert(
    fc.property(fc.array(item), fc.option(fc.string()), fc.boolean(), (items, coupon, hasCheckoutLink) => {
      const link = restoreUrl({ ...modern, hasCheckoutLink }, items, coupon)
      if (link === null) return
      const url = new URL(link)
      expect(url.origin).toBe('https://shop.example')
      expect(url.searchParams.get('products') ?? url.searchParams.get('add-to-cart')).toMatch(/^[\d:,]+$/)
    }),
  )
})
