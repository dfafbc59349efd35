import { expect, it } from 'vitest'
import { plans } from '../../shared/billing.ts'
import { limitLines, monthlyPrice } from './rules.ts'

it('takes 20 percent off by the year, rounded', () => {
  expect([0, 19, 49].map((price) => monthlyPrice(price, true))).toEqual([0, 15, 39])
  expect(monthlyPrice(19, false)).toBe(19)
})

it('says what each plan allows', () => {
  expect(limitLines(plans.free.limits)).toEqual(['1 store', '500 emails per month', 'No SMS', 'No WhatsApp'])
  expect(limitLines(plans.growth.limits)).toEqual([
    '3 stores',
    'Unlimited emails per month',
    '1,000 SMS per month',
    '1,000 WhatsApp messages per month',
  ])
})
