import { expect, test } from 'vitest'
import { isItsDay } from '../test/tier.ts'
import { codesSurvive } from './crash/codes.ts'

// A thousand of them: coupon-codes.long.test.ts. `npm test` tries these on every third day.

const PEOPLE = 60

test.runIf(isItsDay(0, 3))(
  'the store is cut off while codes are made, and the worker killed twice: each mail that left has one working code',
  async () => {
    const { left, orphans, problems } = await codesSurvive(PEOPLE)
    expect(problems).toEqual([])
    expect(left).toBe(PEOPLE - PEOPLE / 6)
    expect(orphans).toBeGreaterThan(0)
  },
  300_000,
)
