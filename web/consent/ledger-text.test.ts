import { expect, test } from 'vitest'
import type { ImportMapping } from '../../shared/ledger.ts'
import { mappingGap, personText, progressOf } from './ledger-text.ts'

test('an import is not done before it is', () => {
  expect([progressOf(0, 10), progressOf(999, 1_000), progressOf(1_000, 1_000), progressOf(0, 0)]).toEqual([
    0, 99, 100, 100,
  ])
})

test('somebody without a known address can still be told from others', () => {
  expect(personText(null, 'ab12cd34')).toBe('Person ab12cd34')
  expect(personText('a•••@b.example', 'ab12cd34')).toBe('a•••@b.example')
})

test('a file is not confirmed without a day and a place, which may be one for all', () => {
  const mapping: ImportMapping = {
    address: 0,
    channel: null,
    channelForAll: 'email',
    status: null,
    date: 1,
    dateOrder: 'iso',
    source: 2,
    sourceForAll: '',
    wording: null,
  }
  expect(mappingGap(mapping)).toBe(null)
  expect(mappingGap({ ...mapping, date: null })).toContain('date')
  expect(mappingGap({ ...mapping, source: null })).toContain('source')
  expect(mappingGap({ ...mapping, source: null, sourceForAll: 'Paper list in our shop' })).toBe(null)
})
