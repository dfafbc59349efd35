import { expect, inject, test } from 'vitest'
import { sayFailure, tryMutation } from './commands.ts'
import { historyOf } from './generate.ts'
import { groundOn } from './ground.ts'
import { invariants } from './invariants/all.ts'
import type { Report } from './lane.ts'
import { runLanes } from './lanes.ts'
import { patched, sourceOf } from './mutate.ts'
import { mutations } from './mutations.ts'

// The short form. The long one is `npm run simulate` (docs/reliability.md).

const HISTORIES = 200
/** A slow machine plays fewer of them. */
const LONGEST_MS = 75_000
/** Where everything else is tested at the same time: one process is enough. */
const LANES = 1

test('random histories on every channel break no rule', async () => {
  const ground = groundOn(inject('databaseUrl'), inject('template'))
  const begun = performance.now()
  const failures: string[] = []
  let played = 0
  const onReport = (report: Report) => {
    played += 1
    if (report.failure) failures.push(sayFailure(report))
  }
  const isEnough = () => failures.length > 0 || performance.now() - begun > LONGEST_MS
  await runLanes({
    ground,
    lanes: LANES,
    seeds: Array.from({ length: HISTORIES }, (_, index) => index + 1).values(),
    isShrunk: true,
    atOnce: 1,
    onReport,
    isEnough,
  }).finally(ground.clear)
  expect(failures.join('\n\n')).toBe('')
  expect(played).toBeGreaterThan(0)
}, 180_000)

test('a seed is a history', () => {
  expect(historyOf(7)).toEqual(historyOf(7))
  expect(historyOf(7)).not.toEqual(historyOf(8))
})

test('every rule has a mutation, and every mutation still applies', () => {
  expect(new Set(mutations.map(({ rule }) => rule))).toEqual(new Set(Object.keys(invariants)))
  for (const mutation of mutations) expect(patched(sourceOf(mutation.file), mutation)).not.toBe(sourceOf(mutation.file))
})

/** Each day another one; `npm run simulate -- --mutations` tries them all. */
const today = mutations[Math.floor(Date.now() / 86_400_000) % mutations.length]!

test(`a mutation is noticed: ${today.name}`, async () => {
  const ground = groundOn(inject('databaseUrl'), inject('template'))
  const { after } = await tryMutation(ground, today, LANES).finally(ground.clear)
  expect(after).not.toBeNull()
}, 180_000)
