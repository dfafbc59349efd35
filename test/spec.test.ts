import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { SECTIONS } from './spec.ts'

test('every section of the specification is tagged on at least one test', () => {
  const table = execFileSync(process.execPath, ['scripts/spec.mjs'], { encoding: 'utf8' })
  expect(SECTIONS.filter((section) => !table.includes(`\n${section}\n`))).toEqual([])
})
