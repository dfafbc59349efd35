import { expect, test } from 'vitest'
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

test.each([
  ['USD', '$1,234.56'],
  ['JPY', '¥123,456'],
  ['KWD', 'KWD 123.456'],
  ['PLN', 'PLN 1,234.56'],
])('money has the decimals of its currency: %s', (currency, text) => {
  expect(readable(formatMoney(123_456, currency, 'en-US'))).toBe(text)
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
