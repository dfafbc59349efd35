import { expect, inject, test } from 'vitest'
import cases from '../../proofs/cases.json' with { type: 'json' }
import { pickSeededShare } from '../seed.ts'
import { describeFailure } from './commands.ts'
import { createDatabases } from './databases.ts'
import { generateScenario } from './generate.ts'
import { invariants } from './invariants/all.ts'
import { patchSource, readSource } from './mutate.ts'
import { mutations } from './mutations.ts'
import type { PlayReport } from './worker.ts'
import { runWorkers } from './workers.ts'

// The short form. The long one is `npm run proofs -- histories mutations` (docs/reliability.md).

/** Those that a proof once found broken, and five more. */
const SEEDS = [
  ...cases.histories,
  ...pickSeededShare(
    Array.from({ length: 100 }, (_, index) => index + 1),
    20,
  ),
]
/** Where everything else is tested at the same time: one process is enough. */
const WORKERS = 1

test('random histories on every channel break no rule', async () => {
  const databases = createDatabases(inject('databaseUrl'), inject('template'))
  const failures: string[] = []
  let played = 0
  let left = 0
  const onReport = (report: PlayReport) => {
    played += 1
    left += report.mails.email
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
  // Where no mail can leave nothing is ever broken.
  expect(left / played).toBeGreaterThan(0.2)
}, 900_000)

test('a seed is a history', () => {
  expect(generateScenario(7)).toEqual(generateScenario(7))
  expect(generateScenario(7)).not.toEqual(generateScenario(8))
})

test('every rule has a mutation, and every mutation still applies', () => {
  expect(new Set(mutations.map(({ rule }) => rule))).toEqual(new Set([...Object.keys(invariants), 'crash']))
  for (const mutation of mutations)
    expect(patchSource(readSource(mutation.file), mutation)).not.toBe(readSource(mutation.file))
})
