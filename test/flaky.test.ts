import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { flakyTests } from './flaky.ts'

test('at most ten tests are listed as flaky, each with its file, a date and a cause', () => {
  expect(flakyTests.length).toBeLessThanOrEqual(10)
  for (const { file, test: title, since, cause } of flakyTests) {
    expect([file, existsSync(file) && readFileSync(file, 'utf8').includes(title)]).toEqual([file, true])
    expect(since).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(cause.split(' ').length).toBeGreaterThan(5)
  }
})
