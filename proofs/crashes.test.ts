import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoStore } from '../providers/woocommerce/store.ts'
import { type CrashCase, cases, createRandom, type Target } from './crash/cases.ts'
import { type CrashRunner, startCrashRunner } from './crash/runner.ts'
import { startShops } from './crash/shops.ts'

// kill -9 at two boundaries of the send path, chosen by TEST_SEED (D1, D6, D10). `npm run crash` runs all of them.

const seed = Number(process.env.TEST_SEED || Date.now() % 1_000_000)
const random = createRandom(seed)

let shops: DemoStore[] = []
let lanes: CrashRunner[] = []

beforeAll(async () => {
  shops = await startShops()
  lanes = await Promise.all([2, 4].map((workers) => startCrashRunner(shops, workers)))
})

afterAll(async () => {
  await Promise.all(lanes.map((lane) => lane.stop()))
  for (const shop of shops) await shop.stop()
})

function drawCase(...targets: Target[]): CrashCase {
  const possible = cases.filter(({ target }) => targets.includes(target))
  return possible[Math.floor(random() * possible.length)]!
}

test('every message is sent once when a worker or PostgreSQL is killed, with two and with four workers', async () => {
  const chosen = [drawCase('worker'), drawCase('postgres', 'both')]
  console.log(`TEST_SEED=${seed}: ${chosen.map(({ name }) => name).join(' · ')}`)
  const results = await Promise.all(chosen.map((crash, at) => lanes[at]!.run(crash, seed + at)))
  const problems = results.flatMap((result, at) => result.problems.map((problem) => `${chosen[at]!.name}: ${problem}`))
  expect(problems, problems.join('\n')).toEqual([])
}, 600_000)
