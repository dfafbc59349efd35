import { describe, expect, test } from 'vitest'
import { findCopyLanguage, formatMessage, getCopy } from './copy.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'
import { pt } from './pt.ts'

describe('formatMessage', () => {
  const polish = '{count, plural, one {# produkt} few {# produkty} many {# produktów} other {# produktu}}'

  test.each([
    [1, '1 produkt'],
    [3, '3 produkty'],
    [5, '5 produktów'],
    [22, '22 produkty'],
    [1.5, '1,5 produktu'],
  ])('has Polish plurals: %d', (count, text) => {
    expect(formatMessage(polish, { count }, 'pl-PL')).toBe(text)
  })

  test('prefers an exact number and fills in arguments within a plural', () => {
    const message = 'In {store}: {count, plural, =0 {nothing} one {# of {store}} other {# things}}.'
    expect(formatMessage(message, { store: 'A', count: 0 }, 'en')).toBe('In A: nothing.')
    expect(formatMessage(message, { store: 'A', count: 1 }, 'en')).toBe('In A: 1 of A.')
    expect(formatMessage(message, { store: '{count}', count: 1_200 }, 'de')).toBe('In {count}: 1.200 things.')
  })

  test.each([
    '{',
    '{a',
    '{a, select, other {x}}',
    '{n, plural, one {x}}',
    'a}',
    '{n, plural, other {x}',
  ])('refuses %s', (message) => {
    expect(() => formatMessage(message, { n: 1 }, 'en')).toThrow('Not an ICU message')
  })
})

test('every text of every language can be formatted and keeps its arguments', () => {
  const listArguments = (message: string) => [...message.matchAll(/\{(\w+)[},]/g)].map(([, name]) => name).sort()
  for (const id of Object.keys(en) as (keyof typeof en)[]) {
    for (const copy of [de, fr, es, it, nl, pt, pl]) expect(listArguments(copy[id])).toEqual(listArguments(en[id]))
    for (const tag of ['en-US', 'de-CH', 'fr-CA', 'es-MX', 'it-IT', 'nl-BE', 'pt-BR', 'pl-PL'])
      for (const count of [0, 1, 2, 5, 1.5]) expect(getCopy(id, tag, { count })).not.toBe('')
  }
})

test.each([
  [1, 'i jeszcze 1 produkt'],
  [3, 'i jeszcze 3 produkty'],
  [5, 'i jeszcze 5 produktów'],
  [22, 'i jeszcze 22 produkty'],
])('a Polish mail counts items: %d', (count, text) => {
  expect(getCopy('moreItems', 'pl-PL', { count })).toBe(text)
})

test('a language without texts is English', () => {
  expect(['de-AT', 'DE', 'en-GB', 'pt-BR', 'sv-SE', 'constructor', ''].map(findCopyLanguage)).toEqual([
    'de',
    'de',
    'en',
    'pt',
    'en',
    'en',
    'en',
  ])
  expect(getCopy('moreItems', 'sv-SE', { count: 1_500 })).toBe('and 1,500 more items')
  expect(getCopy('moreItems', 'de-DE', { count: 1 })).toBe('und 1 weiterer Artikel')
})
