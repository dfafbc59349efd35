import { expect, it } from 'vitest'
import { findDropIndex, findKeyIndex, moveItem } from './reorder.ts'

it('moves one item and keeps the others in order', () => {
  expect(moveItem(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
  expect(moveItem(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
  expect(moveItem(['a', 'b', 'c'], 1, 1)).toEqual(['a', 'b', 'c'])
})

it('finds the position under the pointer', () => {
  const middles = [50, 150, 250]
  expect([0, 60, 160, 400].map((y) => findDropIndex(middles, 1, y))).toEqual([0, 1, 1, 2])
  expect([0, 160, 260].map((y) => findDropIndex(middles, 0, y))).toEqual([0, 1, 2])
})

it('moves by arrow keys, within the ends', () => {
  expect(findKeyIndex('ArrowUp', 1, 3)).toBe(0)
  expect(findKeyIndex('ArrowUp', 0, 3)).toBe(0)
  expect(findKeyIndex('ArrowDown', 2, 3)).toBe(2)
  expect(findKeyIndex('Home', 2, 3)).toBe(0)
  expect(findKeyIndex('End', 0, 3)).toBe(2)
  expect(findKeyIndex('Enter', 1, 3)).toBeNull()
})
