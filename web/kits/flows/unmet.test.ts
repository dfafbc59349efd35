import { expect, it } from 'vitest'
import type { ConditionNames } from '../../../shared/carts/flow-conditions.ts'
import { formatMoney } from '../../core/ui/format.ts'
import { describeUnmet } from './unmet.ts'

const names: ConditionNames = {
  money: (amount) => formatMoney(amount, 'USD'),
  product: (id) => `product ${id}`,
  category: (id) => `category ${id}`,
  country: (code) => `country ${code}`,
}
const worth = { value: { minor: 1_450, currency: 'USD' } }

it('lists the failed conditions and the cart’s actual values', () => {
  const conditionsUnmet = {
    currency: 'USD',
    conditions: [
      { fact: 'value', is: 'above', amount: 50 },
      { fact: 'items', is: 'at_least', count: 3 },
      { fact: 'country', is: 'one_of', countries: ['DE'] },
      { fact: 'hour', is: 'between', from: 9, until: 18 },
      { fact: 'day', is: 'one_of', days: [1] },
      { fact: 'coupon', is: 'present' },
      { fact: 'product', is: 'contains', productIds: ['7'] },
    ],
  }
  const conditionValues = { ...worth, items: 2, country: null, hour: 22, day: 7, coupon: false, product: ['8'] }
  expect(describeUnmet({ conditionValues, conditionsUnmet }, names)).toEqual([
    'Cart worth: $14.50; this message is sent only if the cart is worth more than $50.00.',
    'Items in the cart: 2; this message is sent only if the cart has at least 3 items.',
    'Country: not known; this message is sent only if the shopper lives in country DE.',
    'Hour where the shopper was: 10:00 PM; this message is sent only if it is between 9:00 AM and 6:00 PM where the shopper is.',
    'Day where the shopper was: Sunday; this message is sent only if it is Monday where the shopper is.',
    'This message is sent only if a coupon is in the cart.',
    'This message is sent only if the cart contains product 7.',
  ])
})

it('shows only the values if the conditions were not recorded', () => {
  const conditionValues = { ...worth, country: 'DE', phone: false, product: ['8'] }
  expect(describeUnmet({ conditionValues }, names)).toEqual(['Cart worth: $14.50.', 'Country: country DE.'])
  expect(describeUnmet({}, names)).toEqual([])
})

it('describes the conditions of a flow in the same way', () => {
  const conditionsUnmet = { currency: 'USD', conditions: [{ fact: 'value', is: 'above', amount: 49.99 }] }
  expect(describeUnmet({ conditionValues: worth, conditionsUnmet }, names, 'flow')).toEqual([
    'Cart worth: $14.50; this flow handles a cart only if the cart is worth more than $49.99.',
  ])
})
