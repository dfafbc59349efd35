import { expect, test } from 'vitest'
import { formatChange, formatPercent } from './percent.ts'

test('formats rates with two decimals (B 3)', { tags: ['B3'] }, () => {
  expect([0.12345, 1, 0, -0.00001, -0.46, null].map(formatPercent)).toEqual([
    '12.35%',
    '100.00%',
    '0.00%',
    '0.00%',
    '−46.00%',
    '–',
  ])
})

test('formats ratios above 100% without decimals, and at most as 9,999%', () => {
  expect([1.125, 31, 99.99, 500, -500].map(formatPercent)).toEqual([
    '113%',
    '3,100%',
    '9,999%',
    'over 9,999%',
    'under −9,999%',
  ])
})

test('formats changes with one decimal and a sign, and large ones without decimals (decision 131, B 9)', {
  tags: ['B9'],
}, () => {
  expect([0.2, -0.0416, 0.0004, -0.0004, 0, null, 9.9996, 31.004, 738.2812].map(formatChange)).toEqual([
    '+20.0%',
    '−4.2%',
    '0.0%',
    '0.0%',
    '0.0%',
    '–',
    '+1,000.0%',
    '+3,100%',
    'more than +9,999%',
  ])
})
