import { expect, test } from 'vitest'
import { checkNumbers, parseFilterNumber } from './filter-number.ts'

test.each([
  ['', 2, null, undefined],
  ['40.5', 2, 40.5, undefined],
  [' 12. ', 2, 12, undefined],
  ['40,5', 2, Number.NaN, /decimal point/],
  ['1,000', 2, Number.NaN, /decimal point/],
  ['-5', 2, Number.NaN, /must not be below 0/],
  ['5x', 2, Number.NaN, /^Enter a number/],
  ['.', 2, Number.NaN, /^Enter a number/],
  ['1.25', 1, Number.NaN, 'Enter at most 1 digit after the point.'],
  ['1.5', 0, Number.NaN, /whole number/],
] as const)('parses "%s" in a field of %i decimals as %s, never as another number', (typed, decimals, value, problem) => {
  const read = parseFilterNumber(typed, decimals)
  expect(read.value).toBe(value)
  if (problem === undefined) expect(read.problem).toBeUndefined()
  else expect(read.problem).toMatch(problem)
})

test('reports invalid numbers and a minimum above its maximum at the field', () => {
  expect(checkNumbers({ minCartValue: 5, maxCartValue: 5, minAbandonTime: null })).toEqual({})
  expect(checkNumbers({ minCartValue: Number.NaN, minAbandonTime: 9, maxAbandonTime: 8 })).toEqual({
    minCartValue: expect.stringMatching(/^Enter a number/),
    maxAbandonTime: 'The minimum must not be above the maximum.',
  })
})
