import { expect, it } from 'vitest'
import { computeMonthlyPrice } from './price.ts'

const none = { plan: 'growth' as const, amountMinor: null, currency: null, cycle: null }
const stripe = { source: 'stripe' as const, plan: 'growth' as const, currency: 'USD', cycle: 'month' as const }

it.each([
  ['by the month, with extra stores', { ...stripe, amountMinor: 7_900 }, 'growth', 7_900],
  ['by the year, a twelfth', { ...stripe, amountMinor: 46_800, cycle: 'year' as const }, 'growth', 3_900],
  ['in test billing, that of the price list', { ...none, source: 'test' as const }, 'growth', 4_900],
  [
    'in test billing by the year (newcomer-N13)',
    { ...none, source: 'test' as const, cycle: 'year' as const },
    'growth',
    3_900,
  ],
  ['set by an operator, that of the price list', { ...none, source: 'operator' as const }, 'growth', 4_900],
  ['what the installation gives everybody', { ...none, source: 'default' as const }, 'growth', 0],
  ['of a subscription that was taken away', { ...stripe, amountMinor: 7_900 }, 'free', 0],
] as const)('the price of a month: %s', (_, its, inForce, amountMinor) => {
  expect(computeMonthlyPrice(its, inForce)).toEqual({ amountMinor, currency: 'USD' })
})

it('uses the currency of the payment', () => {
  expect(computeMonthlyPrice({ ...stripe, amountMinor: 4_500, currency: 'EUR' }, 'growth')).toEqual({
    ...{ amountMinor: 4_500, currency: 'EUR' },
  })
})
