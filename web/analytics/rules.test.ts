import { expect, test } from 'vitest'
import { returnOf } from '../../shared/roi.ts'
import { monthLabel } from './rules.ts'

test('what is left is the revenue less message cost and plan; without costs there is no return', () => {
  expect(returnOf({ attributedRevenue: 100, messageCost: 1, planPrice: 49 })).toEqual({ costs: 50, left: 50, rate: 1 })
  expect(returnOf({ attributedRevenue: 10, messageCost: 1, planPrice: 19 })).toEqual({
    costs: 20,
    left: -10,
    rate: -0.5,
  })
  expect(returnOf({ attributedRevenue: 10, messageCost: 2 })).toEqual({ costs: 2, left: 8, rate: 4 })
  expect(returnOf({ attributedRevenue: 10, messageCost: 0, planPrice: null })).toEqual({
    costs: 0,
    left: 10,
    rate: null,
  })
})

test('a month is named the same wherever one sits', () => {
  expect(monthLabel('2026-03')).toBe('Mar 2026')
})
