import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { problems } from '../landing/copy.ts'
import { tested } from './HowWeTestPage.tsx'

test('states for every solved problem how it is tested', () => {
  expect(tested.map(({ id }) => id)).toEqual(problems.map(({ id }) => id))
  expect(tested.filter(({ proofs }) => proofs.length === 0)).toEqual([])
})

test('uses figures that appear in their reports', () => {
  const outages = readFileSync('docs/reliability-outages.md', 'utf8')
  const proofText = tested.flatMap(({ proofs }) => proofs).join(' ')
  expect(proofText).toContain('1,000 visits a day, a script that stopped at noon was noticed after about half an hour')
  expect(outages).toContain('| 1,000 | 25 | 28 | 33 |')
  expect(proofText).toContain('700 simulated shop-months')
  expect(outages).toContain('none in 700 shop-months')
})
