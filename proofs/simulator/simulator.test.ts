import { expect, inject, test } from 'vitest'
import { pickSeededShare } from '../../test/seed.ts'
import cases from '../cases.json' with { type: 'json' }
import { describeFailure } from './commands.ts'
import { createDatabases } from './databases.ts'
import { generateScenario } from './generate.ts'
import { invariants } from './invariants/all.ts'
import { patchSource, readSource } from './mutate.ts'
import { mutations } from './mutations.ts'
import type { PlayReport } from './worker.ts'
import { runWorkers } from './workers.ts'

// A short run. `npm run proofs -- histories mutations` is the long one (docs/reliability.md).

/** Seeds that once failed in a proof, and five more. */
const SEEDS = [
  ...cases.histories,
  ...pickSeededShare(
    Array.from({ length: 100 }, (_, index) => index + 1),
    20,
  ),
]
/** One process is enough, because all other tests run at the same time. */
const WORKERS = 1

test('random scenarios on every channel break no rule', async () => {
  const databases = createDatabases(inject('databaseUrl'), inject('template'))
  const failures: string[] = []
  let played = 0
  let mails = 0
  const onReport = (report: PlayReport) => {
    played += 1
    mails += report.mails.email
    if (report.failure) failures.push(describeFailure(report))
  }
  const isEnough = () => failures.length > 0
  await runWorkers({
    databases,
    workers: WORKERS,
    seeds: SEEDS.values(),
    isShrunk: true,
    atOnce: 1,
    onReport,
    isEnough,
  }).finally(databases.clear)
  expect(failures.join('\n\n')).toBe('')
  expect(played).toBe(SEEDS.length)
  // Without sends the invariants would hold trivially.
  expect(mails / played).toBeGreaterThan(0.2)
}, 900_000)

test('a seed always generates the same scenario', () => {
  expect(generateScenario(7)).toEqual(generateScenario(7))
  expect(generateScenario(7)).not.toEqual(generateScenario(8))
})

test('every rule has a mutation, and every mutation still applies', () => {
  expect(new Set(mutations.map(({ rule }) => rule))).toEqual(new Set([...Object.keys(invariants), 'crash']))
  for (const mutation of mutations)
    expect(patchSource(readSource(mutation.file), mutation)).not.toBe(readSource(mutation.file))
})
