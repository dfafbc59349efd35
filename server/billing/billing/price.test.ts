import { expect, it } from 'vitest'
import { computeMonthlyPrice } from './price.ts'

const none = { plan: 'growth' as const, amountMinor: null, currency: null, cycle: null }
const stripe = { source: 'stripe' as const, plan: 'growth' as const, currency: 'USD', cycle: 'month' as const }

it.each([
  ['is the monthly charge with extra stores', { ...stripe, amountMinor: 7_900 }, 'growth', 7_900],
  ['is a twelfth of the yearly charge', { ...stripe, amountMinor: 46_800, cycle: 'year' as const }, 'growth', 3_900],
  ['is the list price in test billing', { ...none, source: 'test' as const }, 'growth', 4_900],
  [
    'is a twelfth of the yearly list price in test billing',
    { ...none, source: 'test' as const, cycle: 'year' as const },
    'growth',
    3_900,
  ],
  ['is the list price for a plan set by an operator', { ...none, source: 'operator' as const }, 'growth', 4_900],
  ['is zero for the default plan', { ...none, source: 'default' as const }, 'growth', 0],
  ['is zero for a revoked subscription', { ...stripe, amountMinor: 7_900 }, 'free', 0],
] as const)('monthly price %s', (_, its, inForce, amountMinor) => {
  expect(computeMonthlyPrice(its, inForce)).toEqual({ amountMinor, currency: 'USD' })
})

it('uses the currency of the payment', () => {
  expect(computeMonthlyPrice({ ...stripe, amountMinor: 4_500, currency: 'EUR' }, 'growth')).toEqual({
    amountMinor: 4_500,
    currency: 'EUR',
  })
})
