import { expect, test } from 'vitest'
import { buildRows, guessMapping, hasHeading, type Sheet } from './SuppressionList.tsx'

const sheet = (...rows: string[][]): Sheet => ({ fileName: 'x.csv', rows })

test('recognizes a heading by the lack of an address in it', () => {
  expect(hasHeading(sheet(['E-mail', 'Reason'], ['a@x.example', 'spam']))).toBe(true)
  expect(hasHeading(sheet(['a@x.example'], ['b@x.example']))).toBe(false)
  expect(hasHeading(sheet(['+1 (212) 555-0123']))).toBe(false)
})

test('finds columns by their names, otherwise by their content', () => {
  const named = sheet(['Status', 'Subscriber email', 'Comment'], ['spam', 'a@x.example', 'rang'])
  expect(guessMapping(named, true)).toEqual({ address: 1, channel: null, reason: 0, note: 2 })
  expect(guessMapping(sheet(['Ada', '212 555 0123']), false).address).toBe(1)
})

test('keeps a row’s line number and skips empty lines', () => {
  const rows = buildRows(
    sheet(['Email', 'Why'], [''], ['a@x.example', ' spam '], ['', '']),
    { address: 0, channel: null, reason: 1, note: null },
    true,
  )
  expect(rows).toEqual([{ line: 3, address: 'a@x.example', channel: '', reason: 'spam', note: '' }])
})
