import { expect, test } from 'vitest'
import { buildDailyLine } from './daily-line.ts'

const size = { width: 100, height: 54 }

test('draws straight segments from zero, with the highest day at the top and today as the last part', () => {
  const line = buildDailyLine([0, 10, 5], size)!
  expect(line.path).toBe('M0 54L50 4L100 29')
  expect(line.area).toBe('M0 54L50 4L100 29L100 54L0 54Z')
  expect([line.todayX, line.highest]).toEqual([50, 1])
})

test('stays on the ground without revenue and where refunds exceed it, and draws no single day', () => {
  expect(buildDailyLine([0, 0], size)!.path).toBe('M0 54L100 54')
  expect(buildDailyLine([-5, 10], size)!.path).toBe('M0 54L100 4')
  expect(buildDailyLine([3], size)).toBeNull()
})
