import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { computeMeasure, evaluateCorpus, GROUPS } from './engagement-corpus.ts'

// What docs/machine-opens.md says of how well people and machines are told apart stays true.

const visits = evaluateCorpus()
const published = [
  ...readFileSync('docs/machine-opens.md', 'utf8').matchAll(/precision ([\d.]+) %, recall ([\d.]+) %/g),
]

test.each([
  ['links', Object.values(GROUPS)[0]!, published[0]],
  ['pictures', Object.values(GROUPS)[1]!, published[1]],
])('people among those who came to %s are found as well as is published', (_, isIn, figures) => {
  const { precision, recall } = computeMeasure(visits.filter(isIn))
  const [, least = '', found = ''] = figures ?? []
  expect(Number((precision * 100).toFixed(1))).toBeGreaterThanOrEqual(Number(least))
  expect(Number((recall * 100).toFixed(1))).toBeGreaterThanOrEqual(Number(found))
  expect([Number(least), Number(found)].every((figure) => figure > 0)).toBe(true)
})

test('the corpus has several hundred visits of both kinds, and each scenario says what it is based on', () => {
  expect(visits.filter(({ is }) => is === 'human').length).toBeGreaterThan(200)
  expect(visits.filter(({ is }) => is === 'machine').length).toBeGreaterThan(200)
})

test('a machine’s name is never a person’s: no mistake is one of reading a user agent', () => {
  const wrong = visits.filter(({ is, taken }) => is === 'machine' && taken === 'human')
  expect([...new Set(wrong.map(({ reason }) => reason))].sort()).toEqual(['browser', 'gmail_proxy'])
})
