import { expect, test } from 'vitest'
import { createStore } from '../test/factories.ts'
import { recordStatements } from '../test/statements.ts'
import { createWorld } from '../test/world.ts'
import { ticks } from './worker.ts'

// What the clock asks the database for when nothing happens: each tick's statements, by how often it comes. The job queue's own are counted in
// core/jobs/jobs.test.ts; a whole installation is measured by `npm run bench -- idle`.

const world = createWorld()

/** Statements of each tick in its second run. */
async function countTickStatements(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name, everyMs, run } of ticks) {
    await run(world.deps)
    world.advance(everyMs)
    counts[name] = (await recordStatements(() => run(world.deps))).count
  }
  return counts
}

test('idle ticks issue few statements, and no more for additional quiet stores', async () => {
  const counts = await countTickStatements()
  const perSecond = ticks.reduce((sum, { name, everyMs }) => sum + (counts[name]! * 1_000) / everyMs, 0)
  expect(perSecond).toBeLessThan(12)
  for (let n = 0; n < 5; n++) await createStore(world, { orderCheckAgeMs: 0 })
  expect(await countTickStatements()).toEqual(counts)
})
