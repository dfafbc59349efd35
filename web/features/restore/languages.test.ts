import { expect, test } from 'vitest'
import { chooseBrowserLocale, formatAmount, toLocale } from './languages.ts'

test.each([
  [['sv-SE', 'fr-CA', 'en'], 'fr-CA'],
  [['DE-at'], 'DE-at'],
  [['tlh'], 'en-US'],
  [[], 'en-US'],
])('a browser that prefers %j gets %s', (preferred, locale) => {
  expect(chooseBrowserLocale(preferred)).toBe(locale)
})

test('a language chosen on the page keeps the region of the shopper’s locale only in this language', () => {
  expect(toLocale('de', 'de-AT')).toBe('de-AT')
  expect(toLocale('fr', 'de-AT')).toBe('fr')
  expect(toLocale('en', 'de-AT')).toBe('en-US')
})

test.each([
  ['en-US', 'EUR', '€49.00'],
  ['de-DE', 'EUR', '49,00\u00a0€'],
  ['fr', 'EUR', '49,00\u00a0€'],
  ['nl-NL', 'EUR', '€\u00a049,00'],
  ['pl-PL', 'PLN', '49,00\u00a0zł'],
  ['de', 'JPY', '49\u00a0¥'],
  ['de', '?', '49,00 ?'],
])('an amount in %s, %s, is %s', (locale, currency, text) => {
  expect(formatAmount(49, currency, locale)).toBe(text)
})
