import { describe, expect, test } from 'vitest'
import { chooseKnownLocale, chooseLocale, findCountryLocale, findShopperLocale, parseLocale } from './locale.ts'

describe('parseLocale', () => {
  test.each([
    ['de', 'de'],
    ['de_AT', 'de-AT'],
    ['DE-at', 'de-AT'],
    [' fr-FR ', 'fr-FR'],
    ['de_DE_formal', 'de-DE'],
    ['pt_PT_ao90', 'pt-PT'],
    ['zh-hans-cn', 'zh-Hans-CN'],
    ['es-419', 'es-419'],
    ['ar-u-nu-arab', 'ar'],
    ['iw', 'he'],
  ])('reads %s', (input, tag) => {
    expect(parseLocale(input)).toBe(tag)
  })

  test.each([
    '',
    'd',
    'german',
    'xx',
    'qq-DE',
    'constructor',
    'de<script>alert(1)</script>',
    'de{{ 7 | times: 7 }}',
    `de-${'a'.repeat(40)}`,
    '../../etc/passwd',
    'de\u0000',
    '123',
    null,
    undefined,
    7,
    {},
    ['de'],
  ])('drops %j', (input) => {
    expect(parseLocale(input)).toBeNull()
  })
})

test('a worse source never replaces a better one, and a newer one of the same source does', () => {
  const shop = { tag: 'de-DE', source: 'shop' } as const
  expect(chooseKnownLocale(undefined, { tag: 'en', source: 'site' })).toEqual({ tag: 'en', source: 'site' })
  expect(chooseKnownLocale(shop, { tag: 'en', source: 'page' })).toBe(shop)
  expect(chooseKnownLocale(shop, { tag: 'fr-FR', source: 'shop' }).tag).toBe('fr-FR')
  expect(chooseKnownLocale({ tag: 'en', source: 'site' }, { tag: 'pl', source: 'page' }).tag).toBe('pl')
})

test.each([
  ['DE', 'de-DE'],
  ['AT', 'de-AT'],
  ['br', 'pt-BR'],
  ['CH', null],
  ['BE', null],
  ['CA', null],
  ['constructor', null],
  [null, null],
])('the language of country %s is %s', (country, tag) => {
  expect(findCountryLocale(country)).toBe(tag)
})

describe('chooseLocale', () => {
  const nothing = { language: null, locale: null, country: null, store: null }

  test('takes the best source', () => {
    const all = { language: 'it', locale: 'fr-FR', country: 'DE', store: 'nl-NL' }
    expect(chooseLocale(all)).toBe('it')
    expect(chooseLocale({ ...all, language: null })).toBe('fr-FR')
    expect(chooseLocale({ ...nothing, country: 'DE', store: 'nl-NL' })).toBe('de-DE')
    expect(chooseLocale({ ...nothing, country: 'CH', store: 'nl-NL' })).toBe('nl-NL')
    expect(chooseLocale(nothing)).toBe('en-US')
  })

  test('takes the region for a chosen language from a locale in the same language', () => {
    expect(chooseLocale({ ...nothing, language: 'de', locale: 'de-AT' })).toBe('de-AT')
    expect(chooseLocale({ ...nothing, language: 'de', locale: 'en-GB', country: 'AT' })).toBe('de-AT')
    expect(chooseLocale({ ...nothing, language: 'de', locale: 'en-GB' })).toBe('de')
  })

  test('knows no language of a shopper of whom nothing is known', () => {
    expect(findShopperLocale(nothing)).toBeNull()
  })
})
