import { expect, test } from 'vitest'
import { unknownVariables } from './rules.ts'

test('names what is no variable, each once', () => {
  const text = 'Hi {{ customer_name }}, {{ coupon_amount | default: "10%" }} {{-nonsense}} {{ nonsense }}'
  expect(unknownVariables(text)).toEqual(['nonsense'])
})

test('leaves alone what a text sets by itself', () => {
  expect(unknownVariables('{% assign total = cart_total %}{{ total }}')).toEqual([])
})
