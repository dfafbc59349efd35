import { expect, it } from 'vitest'
import { outcomeText } from './rules.ts'

const item = (outcome: 'ok' | 'quantity_clamped' | 'price_changed' | 'gone', quantity: number, price = 20) => ({
  outcome,
  quantity,
  price,
  before: { quantity: 4, price: 20 },
})

it('says in words what became of an item', () => {
  expect(outcomeText(item('ok', 4), 'USD')).toBeNull()
  expect(outcomeText(item('quantity_clamped', 1), 'USD')).toBe('Only 1 is left, so we put 1 in your cart.')
  expect(outcomeText(item('quantity_clamped', 3), 'USD')).toContain('Only 3 are left')
  expect(outcomeText(item('price_changed', 4, 22), 'USD')).toBe('It was $20.00 before.')
  expect(outcomeText(item('quantity_clamped', 1, 18), 'USD')).toBe(
    'Only 1 is left, so we put 1 in your cart. It was $20.00 before.',
  )
  expect(outcomeText(item('gone', 1), 'USD')).toContain('No longer available')
})
