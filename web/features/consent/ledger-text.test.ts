import { expect, test } from 'vitest'
import { getSourceText, ImportMapping } from '../../../shared/marketing/ledger.ts'
import { computeProgress, describeEvidence, describeOutcome, findMappingGap, formatPerson } from './ledger-text.ts'

test('shows 100 percent only when an import is complete', () => {
  expect([
    computeProgress(0, 10),
    computeProgress(999, 1_000),
    computeProgress(1_000, 1_000),
    computeProgress(0, 0),
  ]).toEqual([0, 99, 100, 100])
})

test('distinguishes people without a known address', () => {
  expect(formatPerson(null, 'ab12cd34')).toBe('Person ab12cd34')
  expect(formatPerson('a•••@b.example', 'ab12cd34')).toBe('a•••@b.example')
})

test('requires a day and a place, which may be one for the whole file', () => {
  const mapping: ImportMapping = {
    address: 0,
    channel: null,
    channelForAll: 'email',
    status: null,
    yesMeans: null,
    statusForAll: null,
    date: 1,
    dateOrder: 'iso',
    source: 2,
    sourceForAll: '',
    wording: null,
  }
  const file = { statesConsent: true, optOutColumns: [] }
  expect(findMappingGap(mapping, file)).toBe(null)
  expect(findMappingGap({ ...mapping, date: null }, file)).toContain('date')
  expect(findMappingGap({ ...mapping, source: null }, file)).toContain('source')
  expect(findMappingGap({ ...mapping, source: null, sourceForAll: 'Paper list in our shop' }, file)).toBe(null)
})

test('waits for the meaning of the rows if no column states consent', () => {
  const mapping = ImportMapping.parse({
    address: 0,
    channel: null,
    channelForAll: 'email',
    status: null,
    date: 1,
    dateOrder: 'iso',
    source: 2,
    sourceForAll: '',
    wording: null,
  })
  const file = { statesConsent: false, optOutColumns: [] }
  expect(findMappingGap(mapping, file)).toBe('Choose above: What does every row mean?')
  expect(findMappingGap(mapping, { ...file, optOutColumns: ['Blocked'] })).toContain('every other row')
  expect(findMappingGap({ ...mapping, statusForAll: 'granted' }, file)).toBe(null)
  expect(findMappingGap({ ...mapping, statusForAll: 'granted', date: null }, file)).toContain('date')
  expect(findMappingGap({ ...mapping, statusForAll: 'withdrawn', date: null }, file)).toBe(null)
})

test('a source has no parentheses, because sentences put it in parentheses', () => {
  for (const source of ['checkout', 'account page', 'account page, unconfirmed', 'unpaid order', 'import'])
    expect(getSourceText(source)).not.toMatch(/[()]/)
})

test('names the result of a row with its reason', () => {
  expect(describeOutcome({ status: 'suppressed', reason: 'bounced' })).toBe('Suppressed: bounced')
  expect(describeOutcome({ status: 'granted', reason: null })).toBe('Opted in')
})

test.each([
  [
    'checkout',
    ['Not verified: reported by the shop’s page'],
    'Checkout box · Not verified: reported by the shop’s page',
  ],
  ['account page, unconfirmed', ['Not verified: entered there'], 'Account page · Not verified: entered there'],
  ['unpaid order', ['Not verified: not paid'], 'Order not counted as a purchase · Not verified: not paid'],
  ['checkout', [], 'Checkout box, not verified: reported by the tracking script'],
  ['order', ['Line 2 of the file'], 'Order in the shop · Line 2 of the file'],
])('says once that an entry from %s with the evidence %j is unproven', (source, evidence, shown) => {
  expect(describeEvidence({ source, evidence })).toBe(shown)
})
