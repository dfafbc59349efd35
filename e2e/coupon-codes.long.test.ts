import { expect, test } from 'vitest'
import { codesSurvive } from './crash/codes.ts'

test('a thousand codes, the store cut off and the worker killed twice: each mail that left has one working code, no other is left', async () => {
  const { left, problems } = await codesSurvive(1_000)
  expect(problems).toEqual([])
  expect(left).toBeGreaterThan(800)
}, 1_200_000)
