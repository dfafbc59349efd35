import { expect, test } from 'vitest'
import { buildPlatformBlock, change } from './analytics-rules.ts'
import type { CartSums, OrderSums } from './analytics-sql.ts'

// Definitions of figures that no test store produces yet.

const carts: CartSums = {
  currency: 'USD',
  began: 8,
  began_over: 6,
  began_abandoned: 3,
  began_bought: 3,
  abandoned: 2,
  abandoned_minor: 5_001,
  unbought: 1,
  unbought_minor: 2_000,
  recovered: 1,
}
const orders: OrderSums = {
  currency: 'USD',
  source: 'organic',
  orders: 4,
  net_minor: 5_001,
  net_until: 9_000,
  net_before: 1_000,
  firsts_until: 3,
  firsts_before: 1,
}
const sums = { carts: [carts], orders: [orders, { ...orders, currency: 'EUR', net_minor: 700 }], currency: 'USD' }

test('only the connected platform’s block is included, with its own figures (decision 96)', { tags: ['B3'] }, () => {
  expect(buildPlatformBlock(new Set(['shopify']), sums)).toEqual({
    // Five of eight begun checkouts were not completed.
    shopify: { checkoutAbandonmentRate: 0.625, averageOrderValue: 12.5, customerLifetimeValue: 30 },
  })
  expect(buildPlatformBlock(new Set(['woocommerce']), sums)).toEqual({
    woocommerce: { cartAbandonmentRate: 0.5, averageCartValue: 25.01, conversionRate: 0.375 },
  })
  expect(buildPlatformBlock(new Set(['shopify', 'woocommerce']), sums)).toEqual({})
})

test('a change is relative to the period before, and null if that is 0 (decision 91)', () => {
  expect([change(3, 2), change(1, 2), change(2, 0), change(null, 2), change(2, null)]).toEqual([
    0.5,
    -0.5,
    null,
    null,
    null,
  ])
})
