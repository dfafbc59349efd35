import { expect, it } from 'vitest'
import { outcomeText } from './rules.ts'

it('says in words what became of an item', () => {
  expect(outcomeText('ok', 1)).toBeNull()
  expect(outcomeText('quantity_clamped', 1)).toBe('Only 1 is left, so we put 1 in your cart.')
  expect(outcomeText('quantity_clamped', 3)).toContain('Only 3 are left')
  expect(outcomeText('gone', 1)).toContain('No longer available')
})
