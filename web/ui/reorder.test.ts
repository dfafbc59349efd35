import { expect, it } from 'vitest'
import { moved, placeAt, placeByKey } from './reorder.ts'

it('moves one item and keeps the others in order', () => {
  expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
  expect(moved(['a', 'b', 'c'], 1, 1)).toEqual(['a', 'b', 'c'])
})

it('finds the position under the pointer', () => {
  const middles = [50, 150, 250]
  expect([0, 60, 160, 400].map((y) => placeAt(middles, 1, y))).toEqual([0, 1, 1, 2])
  expect([0, 160, 260].map((y) => placeAt(middles, 0, y))).toEqual([0, 1, 2])
})

it('moves by arrow keys, within the ends', () => {
  expect(placeByKey('ArrowUp', 1, 3)).toBe(0)
  expect(placeByKey('ArrowUp', 0, 3)).toBe(0)
  expect(placeByKey('ArrowDown', 2, 3)).toBe(2)
  expect(placeByKey('Home', 2, 3)).toBe(0)
  expect(placeByKey('End', 0, 3)).toBe(2)
  expect(placeByKey('Enter', 1, 3)).toBeNull()
})
