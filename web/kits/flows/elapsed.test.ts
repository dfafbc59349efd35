import { expect, it } from 'vitest'
import { formatSinceAbandonment, formatSincePrevious, formatSpan } from './elapsed.ts'

it('formats the time since the cart was abandoned', () => {
  expect(formatSinceAbandonment(60)).toBe('1 hour after abandonment')
  expect(formatSinceAbandonment(4_320)).toBe('3 days after abandonment')
  expect(formatSinceAbandonment(Number.NaN)).toBe('No time yet')
})

it('formats the time since the previous message', () => {
  expect(formatSincePrevious(1_440, 60, 1)).toBe('23 hours after message 1')
  expect(formatSincePrevious(60, 60, 1)).toBeNull()
  expect(formatSincePrevious(60, Number.NaN, 2)).toBeNull()
})

it('formats durations for reading', () => {
  expect([1, 45, 60, 90, 1_440, 1_500, 1_590, 2_880, 43_200].map(formatSpan)).toEqual([
    '1 minute',
    '45 minutes',
    '1 hour',
    '1 hour 30 minutes',
    '24 hours',
    '1 day 1 hour',
    '1 day 2 hours 30 minutes',
    '2 days',
    '30 days',
  ])
})
