import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readOutcomes, uploadedAt, zone } from '../../../test/import-files.ts'
import { testSeed } from '../../../test/seed.ts'
import { findConsentColumns, guessMapping, readRow } from './import-rules.ts'

// The combined meaning of a file's columns, with the owner's answers.

test('an opt-out overrides an opt-in of another column, even if the owner said that all opted in', () => {
  const row = (status: string, unsubscribed: string, newsletter: string) =>
    readOutcomes(
      `Email,Date,Status,Unsubscribed,Newsletter\na@a.example,2024-05-01,${status},${unsubscribed},${newsletter}`,
      { statusForAll: 'granted' },
    )[0]
  expect(row('subscribed', 'no', 'yes')).toBe('granted')
  expect(row('subscribed', 'yes', 'yes')).toBe('withdrawn opted_out')
  expect(row('subscribed', 'no', 'no')).toBe('withdrawn')
  expect(row('unsubscribed', 'no', 'yes')).toBe('withdrawn opted_out')
  expect(row('subscribed', 'perhaps', 'yes')).toBe('bad_status')
})

test('under a heading that names both, only unambiguous cells count', () => {
  const file = (word: string) => readOutcomes(`Email,Date,Opt-in or opt-out\na@a.example,2024-05-01,${word}`)
  expect([file('opted in'), file('opted out'), file('yes'), file('no')].flat()).toEqual([
    'granted',
    'withdrawn opted_out',
    'bad_status',
    'bad_status',
  ])
})

test('without a consent column nothing is granted until the owner says what the rows mean', () => {
  const file = 'Email,First name,Date\nada@a.example,Ada,2024-05-01'
  expect(readOutcomes(file)).toEqual(['no_status'])
  expect(readOutcomes(file, { statusForAll: 'granted' })).toEqual(['granted'])
  expect(readOutcomes(file, { statusForAll: 'withdrawn' })).toEqual(['withdrawn'])
})

test('a column in another language is an opt-out column if the owner chooses it', () => {
  const file = 'Email,Avregistrerad,Date\nada@a.example,yes,2024-05-01\nbob@a.example,no,2024-05-01'
  expect(readOutcomes(file, { status: 1, yesMeans: 'withdrawn' })).toEqual(['withdrawn opted_out', 'no_status'])
})

test('a yes under an unknown heading counts if the owner says what it means', () => {
  const file = 'Email,Avregistrerad,Date\nada@a.example,yes,2024-05-01\nbob@a.example,unsubscribed,2024-05-01'
  expect(readOutcomes(file, { status: 1 })).toEqual(['bad_status', 'withdrawn opted_out'])
  expect(readOutcomes(file, { status: 1, yesMeans: 'granted' })).toEqual(['granted', 'withdrawn opted_out'])
})

test('an opt-out status counts under an unknown heading, even among tags', () => {
  const all = { statusForAll: 'granted' } as const
  const file = (cell: string) =>
    readOutcomes(`Email,Date,Group,Last name\nada@a.example,2024-05-01,${cell},Robinson`, all)[0]
  expect(['Unsubscribed', 'vip; unsubscribed', 'CLEANED', 'désabonnée'].map(file)).toEqual([
    'withdrawn opted_out',
    'withdrawn opted_out',
    'suppressed bounced',
    'withdrawn opted_out',
  ])
  expect(['vip; opt-out 2024', 'Unsubscribed from newsletter', 'undeliverable', 'Wypisany'].map(file)).toEqual([
    'withdrawn opted_out',
    'withdrawn opted_out',
    'suppressed bounced',
    'withdrawn opted_out',
  ])
  expect(['vip', 'Baja California', 'Not sure', ''].map(file)).toEqual(['granted', 'granted', 'granted', 'granted'])
})

test('a row with any opt-out mark is never granted', () => {
  const noHeadings = [
    'Unsubscribed',
    'Opted out at',
    'EMAIL_BLACKLISTED',
    'Gesperrt',
    'Désabonné',
    'Baja',
    'Disiscritto',
    'Bounced',
  ]
  const yesHeadings = ['Status', 'Subscribed', 'Newsletter', 'Accepts Marketing', 'Einwilligung', 'Consentement']
  const marks = [
    'yes',
    'TRUE',
    '1',
    'ja',
    'oui',
    'sí',
    'x',
    '✓',
    '2024-05-01',
    '3.1.25',
    'unsubscribed',
    'cleaned',
    'what?',
  ]
  const noes = [
    'no',
    'FALSE',
    '0',
    'nein',
    'non',
    'unsubscribed',
    'bounced',
    'nonSubscribed',
    'NEVER_SUBSCRIBED',
    'pending',
  ]
  const harmless = fc.constantFrom('yes', 'subscribed', 'TRUE', 'ja', '')
  const anyIndex = fc.option(fc.integer({ min: 0, max: 5 }), { nil: null })
  const column = fc.oneof(
    fc.record({ name: fc.constantFrom(...noHeadings), cell: fc.constantFrom(...marks), isNo: fc.constant(true) }),
    fc.record({ name: fc.constantFrom(...yesHeadings), cell: fc.constantFrom(...noes), isNo: fc.constant(true) }),
    fc.record({
      name: fc.constantFrom('Group', 'Tags'),
      cell: fc.constantFrom('unsubscribed', 'Cleaned'),
      isNo: fc.constant(true),
    }),
    fc.record({ name: fc.constantFrom(...yesHeadings), cell: harmless, isNo: fc.constant(false) }),
    fc.record({
      name: fc.constantFrom('First name', 'City', 'Date', 'Source'),
      cell: fc.string(),
      isNo: fc.constant(false),
    }),
  )
  const choice = fc.record({
    status: anyIndex,
    yesMeans: fc.constantFrom('granted' as const, 'withdrawn' as const, null),
    statusForAll: fc.constantFrom('granted' as const, 'withdrawn' as const, null),
    date: anyIndex,
  })
  fc.assert(
    fc.property(fc.array(column, { minLength: 1, maxLength: 5 }), choice, (columns, chosen) => {
      const names = ['Email', ...columns.map(({ name }) => name)]
      const cells = ['ada@a.example', ...columns.map(({ cell }) => cell)]
      const guessed = guessMapping(names, [cells], 'US')
      // A missing date would reject the row for another reason.
      const mapping = { ...guessed, ...chosen, source: null, sourceForAll: 'Form' }
      const isNo = columns.some((each, n) => each.isNo && ![mapping.date].includes(n + 1))
      const row = readRow(cells, 2, {
        mapping,
        columns: findConsentColumns(names, mapping),
        country: 'US',
        zone,
        uploadedAt,
      })
      if (isNo) expect(row.problem === null && row.status === 'granted').toBe(false)
    }),
    { seed: testSeed, numRuns: 2_000 },
  )
})
