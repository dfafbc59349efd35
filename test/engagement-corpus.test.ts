import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { computeMeasure, evaluateCorpus, GROUPS } from './engagement-corpus.ts'

// Keeps the accuracy figures in docs/machine-opens.md true.

const visits = evaluateCorpus()
const published = [
  ...readFileSync('docs/machine-opens.md', 'utf8').matchAll(/precision ([\d.]+) %, recall ([\d.]+) %/g),
]

test.each([
  ['links', Object.values(GROUPS)[0]!, published[0]],
  ['pictures', Object.values(GROUPS)[1]!, published[1]],
])('recognizes people by their visits to %s at the published rates', (_, isIn, figures) => {
  const { precision, recall } = computeMeasure(visits.filter(isIn))
  const [, least = '', found = ''] = figures ?? []
  expect(Number((precision * 100).toFixed(1))).toBeGreaterThanOrEqual(Number(least))
  expect(Number((recall * 100).toFixed(1))).toBeGreaterThanOrEqual(Number(found))
  expect([Number(least), Number(found)].every((figure) => figure > 0)).toBe(true)
})

test('the corpus has several hundred visits of both kinds, and each scenario has a source', () => {
  expect(visits.filter(({ is }) => is === 'human').length).toBeGreaterThan(200)
  expect(visits.filter(({ is }) => is === 'machine').length).toBeGreaterThan(200)
})

test('never classifies a known robot user agent as a person', () => {
  const wrong = visits.filter(({ is, classified }) => is === 'machine' && classified === 'human')
  expect([...new Set(wrong.map(({ reason }) => reason))].sort()).toEqual(['browser', 'gmail_proxy'])
})
