import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoStore } from '../demo/store/store.ts'
import { testSeed } from '../test/tier.ts'
import { type CrashCase, cases, randomFrom, type Target } from './crash/cases.ts'
import { aLane, type Lane } from './crash/lane.ts'
import { startShops } from './crash/shops.ts'

// kill -9 at some boundaries of Way C, others every day (D1, D6, D10). All of them: `npm run crash` and `npm run test:all`.

const random = randomFrom(testSeed)

let shops: DemoStore[] = []
let lanes: Lane[] = []

beforeAll(async () => {
  shops = await startShops()
  lanes = await Promise.all([2, 4].map((workers) => aLane(shops, workers)))
})

afterAll(async () => {
  await Promise.all(lanes.map((lane) => lane.stop()))
  for (const shop of shops) await shop.stop()
})

function oneOf(...targets: Target[]): CrashCase {
  const possible = cases.filter(({ target }) => targets.includes(target))
  return possible[Math.floor(random() * possible.length)]!
}

test('killed with two and with four workers, everything goes out once, and nothing is lost', async () => {
  const chosen = [oneOf('worker'), oneOf('postgres', 'both')]
  console.log(`TEST_SEED=${testSeed}: ${chosen.map(({ name }) => name).join(' · ')}`)
  const results = await Promise.all(chosen.map((crash, at) => lanes[at]!.run(crash, testSeed + at)))
  const problems = results.flatMap((result, at) => result.problems.map((problem) => `${chosen[at]!.name}: ${problem}`))
  expect(problems, problems.join('\n')).toEqual([])
}, 600_000)
