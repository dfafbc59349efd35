import { describe, expect, test } from 'vitest'
import type { ImportMapping } from '../../../shared/marketing/ledger.ts'
import { findConsentColumns, guessMapping, optOutsFirst, parseDate, readRow } from './import-rules.ts'

const uploadedAt = new Date('2026-03-02T15:00:00Z')
const mapping = (changed: Partial<ImportMapping> = {}): ImportMapping => ({
  address: 0,
  channel: null,
  channelForAll: 'email',
  status: null,
  yesMeans: null,
  statusForAll: 'granted',
  date: 1,
  dateOrder: 'iso',
  source: 2,
  sourceForAll: '',
  wording: null,
  ...changed,
})
const read = (cells: string[], changed: Partial<ImportMapping> = {}, names = ['Email', 'Date', 'Source']) => {
  const chosen = mapping(changed)
  const columns = findConsentColumns(names, chosen)
  return readRow(cells, 2, { mapping: chosen, columns, country: 'DE', zone: 'UTC', uploadedAt })
}

describe('a row that proves an opt-in', () => {
  test('has a normalized address, a date and a source', () => {
    expect(read([' Ann@Shop.Example ', '2024-05-01', 'Newsletter form'])).toMatchObject({
      address: 'ann@shop.example',
      channel: 'email',
      status: 'granted',
      at: new Date('2024-05-01T00:00:00Z'),
      given: 'Newsletter form',
      problem: null,
    })
  })

  test('may have a phone number in national format', () => {
    const sms = { channelForAll: 'sms' } as const
    expect(read(['0151 12345678', '2024-05-01', 'Shop'], sms)).toMatchObject({
      address: '+4915112345678',
      problem: null,
    })
    // The apostrophe that spreadsheets and our exports use to mark text.
    expect(read(["'+4915112345678", '2024-05-01', 'Shop'], sms).problem).toBe(null)
  })
})

test.each([
  [['', '2024-05-01', 'x'], {}, 'no_address'],
  [['ann@', '2024-05-01', 'x'], {}, 'bad_address'],
  [['12', '2024-05-01', 'x'], { channelForAll: 'sms' }, 'bad_phone'],
  [['a@b.example', '', 'x'], {}, 'no_date'],
  [['a@b.example', 'yesterday', 'x'], {}, 'bad_date'],
  [['a@b.example', '2026-03-03', 'x'], {}, 'future_date'],
  [['a@b.example', '2024-05-01', ''], {}, 'no_source'],
  [['a@b.example', '2024-05-01', 'fax'], { channel: 2, source: 1 }, 'bad_channel'],
  [['a@b.example', '2024-05-01', 'perhaps'], { status: 2, source: 1 }, 'bad_status'],
  [['a@b.example'], {}, 'no_date'],
] as const)('%j is refused: %s %s', (cells, changed, problem) => {
  expect(read([...cells], changed).problem).toBe(problem)
})

test('an opt-out needs no proof, only an address and a channel', () => {
  expect(read(['a@b.example', '', 'unsubscribed'], { status: 2, source: null })).toMatchObject({
    status: 'withdrawn',
    at: null,
    problem: null,
  })
})

test.each([
  ['2024-05-01T10:30:00+02:00', 'iso', '2024-05-01T08:30:00Z'],
  ['2024-05-01 10:30', 'iso', '2024-05-01T10:30:00Z'],
  ['2024/5/1', 'dmy', '2024-05-01T00:00:00Z'],
  ['01.05.2024 10:30', 'dmy', '2024-05-01T10:30:00Z'],
  ['05/01/2024', 'mdy', '2024-05-01T00:00:00Z'],
  ['1714550400', 'iso', '2024-05-01T08:00:00Z'],
  ['1714550400000', 'iso', '2024-05-01T08:00:00Z'],
] as const)('%s (%s) is %s', (text, order, instant) => {
  expect(parseDate(text, order, 'UTC')).toEqual(new Date(instant))
})

test.each([
  ['31.02.2024', 'dmy'],
  ['13/13/2024', 'mdy'],
  ['01.05.2024', 'iso'],
  ['2024-05-01 25:00', 'iso'],
  ['1024-05-01', 'iso'],
] as const)('%s (%s) is not a date, and no nearby date is guessed', (text, order) => {
  expect(parseDate(text, order, 'UTC')).toBe(null)
})

test("a date without a time zone is in the store's zone (T3)", () => {
  expect(parseDate('2024-05-01', 'iso', 'America/New_York')).toEqual(new Date('2024-05-01T04:00:00Z'))
  expect(parseDate('2024-12-01 10:30', 'iso', 'America/New_York')).toEqual(new Date('2024-12-01T15:30:00Z'))
  expect(parseDate('2024-05-01T10:30Z', 'iso', 'America/New_York')).toEqual(new Date('2024-05-01T10:30:00Z'))
})

test('columns of a newsletter tool are recognized by name', () => {
  const columns = ['Email Address', 'First Name', 'OPTIN_TIME', 'Status', 'Source']
  const rows = [['a@b.example', 'Ann', '2024-05-01 10:00:00', 'subscribed', 'Footer form']]
  expect(guessMapping(columns, rows, 'US')).toEqual(
    mapping({ date: 2, status: 3, source: 4, dateOrder: 'iso', channelForAll: 'email', statusForAll: null }),
  )
})

test.each([
  'Signed up at',
  'Subscribed on',
  'created_at',
  'Angemeldet am',
  'Signup date',
])('%s is the consent time', (heading) => {
  expect(guessMapping(['Email', heading], [['nora@shoppers.example', '2025-03-02']], 'US').date).toBe(1)
})

test.each([
  [['13/05/2024'], 'US', 'dmy'],
  [['05/13/2024'], 'DE', 'mdy'],
  [['05/06/2024'], 'US', 'mdy'],
  [['05/06/2024'], 'DE', 'dmy'],
  [['05.06.2024'], 'US', 'dmy'],
  [['2024-05-06'], 'US', 'iso'],
] as const)('whether day or month comes first in %j of a shop in %s: %s', (dates, country, order) => {
  const rows = dates.map((date) => ['a@b.example', date])
  expect(guessMapping(['email', 'date'], rows, country).dateOrder).toBe(order)
})

test('opt-outs are read before all opt-ins, wherever they are in the file (C5)', () => {
  const rows = [
    read(['a@b.example', '2024-05-01', 'x']),
    read(['a@b.example', '', 'unsubscribed'], { status: 2, source: null }),
  ]
  const ordered = optOutsFirst(rows)
  expect(ordered.rows.map(({ status }) => status)).toEqual(['withdrawn', 'granted'])
  expect(ordered.yesFrom).toBe(1)
})

test.each([
  ['3/1/2025 9:05 PM', 'mdy', '2025-03-01T21:05:00Z'],
  ['3/1/2025 9:05:30 am', 'mdy', '2025-03-01T09:05:30Z'],
  ['3/1/2025 12:05 AM', 'mdy', '2025-03-01T00:05:00Z'],
  ['3/1/2025 12:05 PM', 'mdy', '2025-03-01T12:05:00Z'],
  ['3/1/2025 9:05\u202fPM', 'mdy', '2025-03-01T21:05:00Z'],
  ['3/1/2025 9:05 p.m.', 'mdy', '2025-03-01T21:05:00Z'],
  ['12/31/24', 'mdy', '2024-12-31T00:00:00Z'],
  ['31.12.24', 'dmy', '2024-12-31T00:00:00Z'],
  ['31.12.99 8:15', 'dmy', '1999-12-31T08:15:00Z'],
  ['2025-03-01 9:05 PM', 'iso', '2025-03-01T21:05:00Z'],
  ['3/1/2025 13:05 PM', 'mdy', null],
  ['3/1/2025 0:05 AM', 'mdy', null],
  ['12/31/194', 'mdy', null],
] as const)('reads Excel’s %j', (text, order, instant) => {
  expect(parseDate(text, order, 'UTC')).toEqual(instant === null ? null : new Date(instant))
})
