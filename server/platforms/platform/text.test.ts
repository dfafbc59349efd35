import { expect, test } from 'vitest'
import { addChoices } from './text.ts'

test.each([
  ['T-Shirt Töpfer - Blue', ['Blue', 'L'], 'T-Shirt Töpfer - Blue, L'],
  ['T-Shirt Töpfer - Blue, L', ['Blue', 'L'], 'T-Shirt Töpfer - Blue, L'],
  ['Lamp', ['L', 'Blau'], 'Lamp - L, Blau'],
  ['Hoodie - Dark Blue', ['dark blue', 'XL'], 'Hoodie - Dark Blue, XL'],
  ['Shoe - Red', ['Red', '42.5'], 'Shoe - Red, 42.5'],
  ['湯呑み - 青', ['青', '大'], '湯呑み - 青, 大'],
  ['Tea', [], 'Tea'],
  ['Tea - Green', ['', '!'], 'Tea - Green'],
  ['Ring - Gold', ['7', '7'], 'Ring - Gold, 7'],
])('a variation’s name contains the choices: %s and %j', (name, values, whole) => {
  const choices = values.map((value) => ({ value }))
  expect(addChoices(name, choices)).toBe(whole)
})

test('a name is truncated to its limit', () => {
  expect(addChoices('x'.repeat(299), [{ value: 'Large' }]).length).toBeLessThanOrEqual(300)
})
