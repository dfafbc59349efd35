import { expect, test } from 'vitest'
import { normalizePrefix, readAddress, readRows } from './rules.ts'

const read = (text: string, countries: string[] = ['US']) => readAddress(text, countries)?.address ?? null
const row = (line: number, address: string, more: { channel?: string; reason?: string; note?: string } = {}) => ({
  line,
  address,
  channel: '',
  reason: '',
  note: '',
  ...more,
})
const file = (...rows: ReturnType<typeof row>[]) => readRows(rows, { reason: 'manual', countries: ['US'] })

test('an address is recognized in every usual spelling', () => {
  expect(read('+52 1 55 1234 5671')).toBe('+525512345671')
  expect(read(' Ada@Shoppers.Example ')).toBe('ada@shoppers.example')
  for (const text of [
    '(212) 555-0123',
    '212.555.0123',
    '+1 212 555 0123',
    '0012125550123',
    "'+12125550123",
    '12125550123',
  ]) {
    expect([text, read(text)]).toEqual([text, '+12125550123'])
  }
  expect(read('030 1234567', ['DE'])).toBe('+49301234567')
  expect(read('030 1234567', ['US', 'DE'])).toBe('+49301234567')
  for (const text of ['', 'ada', 'ada@', 'ada@shop', '12', '1.25551E+11'])
    expect([text, read(text)]).toEqual([text, null])
})

test('the prefix of a number is found in any spelling', () => {
  expect(normalizePrefix('+1 (212) 5')).toBe('+12125')
  expect(normalizePrefix('0049 30')).toBe('+4930')
  expect(normalizePrefix('ADA@')).toBe('ada@')
})

test('an invalid row of a file is reported with its line and does not affect others', () => {
  const { entries, refused } = file(
    row(2, 'a@x.example', { reason: 'Reported as spam' }),
    row(3, 'nobody'),
    row(4, '', { reason: 'Erased person' }),
    row(5, '212 555 0123', { channel: 'SMS' }),
    row(6, 'b@x.example', { channel: 'sms' }),
    row(7, '212 555 0123', { channel: 'email' }),
    row(8, 'c@x.example', { channel: 'fax' }),
    row(9, 'd@x.example', { channel: 'Everything', reason: 'opted out', note: ' by letter ' }),
    row(10, '+12125550124', { channel: 'sms, whatsapp', reason: 'who knows' }),
  )
  expect(entries.map(({ address, channel, reason, note }) => [address, channel, reason, note])).toEqual([
    ['a@x.example', 'email', 'complaint', null],
    ['+12125550123', 'sms', 'manual', null],
    ['d@x.example', 'email', 'unsubscribed', 'by letter'],
    ['+12125550124', 'all', 'manual', null],
  ])
  expect(refused.map(({ line }) => line)).toEqual([3, 4, 6, 7, 8])
  expect(refused.map(({ problem }) => problem)).toContain(
    '“fax” is not a channel. Use email, SMS or WhatsApp, or leave it empty.',
  )
})

test('both addresses of a phone with two numbers are stored', () => {
  expect(file(row(1, '+52 55 1234 5678')).entries.map(({ address }) => address)).toEqual([
    '+525512345678',
    '+5215512345678',
  ])
})
