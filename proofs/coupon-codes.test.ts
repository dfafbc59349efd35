import { expect, test } from 'vitest'
import { checkCodesSurvive } from './crash/codes.ts'

test.each([
  [60, 50],
  [1_000, 800],
])(
  'each of %i messages has one working code and no other code is left after a store outage and two killed workers',
  async (people, least) => {
    const { sent, orphans, problems } = await checkCodesSurvive(people)
    expect(problems).toEqual([])
    expect(sent).toBeGreaterThanOrEqual(least)
    expect(orphans).toBeGreaterThan(0)
  },
  1_200_000,
)
