import { describe, expect, test } from 'vitest'
import { channelNames, defaultWordings, languages } from '../../../shared/delivery/preferences.ts'
import { restoreTexts } from '../../../shared/delivery/restore.ts'
import { findCopyFaults } from '../../../test/copy-parity.ts'
import { shopperCopy } from './copy.ts'
import { getText, type RestoreCopy, restoreCopy } from './restore-copy.ts'

describe.each(languages.filter((language) => language !== 'en'))('the shopper’s pages in %s', (language) => {
  test('have every text of the English ones, with the same placeholders', () => {
    expect(findCopyFaults(restoreCopy.en, restoreCopy[language], language)).toEqual([])
    expect(findCopyFaults(shopperCopy.en, shopperCopy[language], language)).toEqual([])
    expect(findCopyFaults(defaultWordings.en, defaultWordings[language], language)).toEqual([])
    expect(findCopyFaults(channelNames.en, channelNames[language], language)).toEqual([])
  })

  test('can be formatted', () => {
    for (const id of Object.keys(restoreCopy.en) as (keyof RestoreCopy)[])
      for (const count of [0, 1, 3, 5, 22])
        expect(getText(id, language, { count, amount: '1', code: 'A', name: 'B' })).toMatch(/^[^{}]+$/)
  })
})

test('the English page has the specification’s sentences', { tags: ['B8'] }, () => {
  expect(restoreCopy.en).toMatchObject(restoreTexts)
})

test.each([
  [1, 'Została tylko 1 sztuka.'],
  [3, 'Zostały tylko 3 sztuki.'],
  [5, 'Zostało tylko 5 sztuk.'],
  [22, 'Zostały tylko 22 sztuki.'],
])('the Polish plural of remaining items fits %d', (count, text) => {
  expect(getText('onlyLeftNow', 'pl-PL', { count })).toBe(text)
})

test('numbers follow the page’s locale', () => {
  expect(getText('onlyLeftNow', 'de-AT', { count: 1_500 })).toBe('Nur noch 1\u00a0500 verfügbar.')
})
