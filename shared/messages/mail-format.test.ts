import { expect, test } from 'vitest'
import { formatMinor } from '../../server/delivery/compose/amounts.ts'
import { expiryText } from '../../server/delivery/compose/coupon-text.ts'
import { formatExpiry, formatMoney, formatOffer, formatPercent, getDirection, normalizeTag } from './mail-format.ts'

const readable = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ')

test.each([
  ['en-US', '€1,234.50'],
  ['de-DE', '1.234,50 €'],
  ['de-AT', '€ 1.234,50'],
  ['fr-FR', '1 234,50 €'],
  ['nl-NL', '€ 1.234,50'],
  ['pl-PL', '1234,50 €'],
  ['de_DE', '1.234,50 €'],
])('money is written as in %s: %s', (tag, text) => {
  expect(readable(formatMoney(123_450, 'EUR', tag))).toBe(text)
})

test('English money is that of today’s mails', () => {
  for (const currency of ['USD', 'EUR', 'JPY', 'KWD', 'PLN', 'XYZ']) {
    for (const minor of [0, 5, 123_456])
      expect(formatMoney(minor, currency, 'en-US')).toBe(formatMinor(minor, currency))
  }
})

test('English expiry dates are those of today’s mails', () => {
  const ends = ['2026-12-06T05:00:00Z', '2026-12-05T22:00:00Z', '2026-07-01T12:30:00Z', '2026-12-06T04:59:59Z']
  for (const zone of ['America/New_York', 'UTC', 'Europe/Berlin']) {
    for (const end of ends.map((each) => new Date(each))) {
      expect(formatExpiry(end, zone, 'en-US')).toBe(expiryText(end, zone))
    }
  }
})

test('dates and percentages are written as in the language', () => {
  const end = new Date('2026-12-05T23:00:00Z')
  expect(formatExpiry(end, 'Europe/Berlin', 'de-DE')).toBe('5. Dezember 2026')
  expect(formatExpiry(end, 'Europe/Warsaw', 'pl-PL')).toBe('5 grudnia 2026')
  expect(formatExpiry(new Date('2026-12-05T16:00:00Z'), 'Europe/Berlin', 'de-DE')).toMatch(
    /^5\. Dezember 2026, 17:00 MEZ$/,
  )
  expect(readable(formatPercent(1_250, 'de-DE'))).toBe('12,5 %')
  expect(formatPercent(1_000, 'en-US')).toBe('10%')
  expect([formatOffer('10%', 'en-US'), formatOffer('', 'de-DE')]).toEqual(['10% off', 'ein Rabatt'])
})

test('a tag that is none is English, and directions are known', () => {
  expect(['de-at', 'x', '', '<b>', 'en_GB', 'a'.repeat(99)].map(normalizeTag)).toEqual([
    'de-AT',
    'en-US',
    'en-US',
    'en-US',
    'en-GB',
    'en-US',
  ])
  expect(['ar-EG', 'he', 'de-DE'].map(getDirection)).toEqual(['rtl', 'rtl', 'ltr'])
})
