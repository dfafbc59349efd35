import { describe, expect, test } from 'vitest'
import cases from '../../../test/fixtures/names-at-checkout.json' with { type: 'json' }
import { cleanPersonName, hasAddress, removeAddresses, removeLinks } from './addresses-in-text.ts'

const ENCODED = '=?utf-8?b?ZXZpbC5jb20gbG9naW4=?='

describe('a first name', () => {
  test.each([...cases.must_stay, 'Жанна', "D'Arcy", 'Ana María', 'John 3', 'עדה'])('%s is kept', (name) => {
    expect(cleanPersonName(` ${name} `)).toBe(name)
  })

  test.each([
    cases.body.contact.firstName,
    ...cases.more_names,
    'www.evil.example/pay',
    'evil-bank.com',
    'evil。com',
    'ｅｖｉｌ．ｃｏｍ',
    'evil\u200b.com',
    'evil&#46;com',
    'evil&period;com',
    'javascript:alert(1)',
    'Call 0800 111',
    'a\tb',
    'a\nb',
    '\u2067Ana',
    ENCODED,
    '<b>Ana',
    '5 5 5 5',
    '٥٥٥٥',
    'Win 50 $',
    'evil[.]com',
    '%3Cb%3EAna',
    '{{ Ana }}',
    'evil\u2027com',
  ])('%j is rejected', (name) => {
    expect(cleanPersonName(name)).toBe('')
  })
})

describe('a name of a shop or a product', () => {
  test.each([
    ['Teapot, 2.5 l'],
    ['Tea & Co.'],
    ['No. 5 (50 ml)'],
    ['a/b test kit: large'],
    ['shop.example', 'shop.example'],
    ['WWW.Shop.Example mugs', 'shop.example'],
  ])('%s stays unchanged', (name, ownHost = 'other.example') => {
    expect(removeAddresses(name, [ownHost])).toBe(name)
  })

  test.each([
    ['Security Team evil.com', 'Security Team evil com'],
    ['Mug www.evil.example', 'Mug www evil example'],
    ['Pay at https://evil.example/pay?id=1 now', 'Pay at https evil example pay id 1 now'],
    ['Write to help@evil.com', 'Write to help evil com'],
    ['evil。com', 'evil com'],
    ['evil\u200b.com', 'evil com'],
    ['evil&#46;com', 'evil com'],
  ])('%s produces no link', (name, expected) => {
    expect(removeAddresses(name, ['shop.example'])).toBe(expected)
    expect(hasAddress(expected)).toBe(false)
  })

  test.each([
    [
      '550-5.1.1 Please try double-checking. 550 5.1.1 https://support.google.com/mail/?p=NoSuchUser si123.45 - gsmtp',
      '550-5.1.1 Please try double-checking. 550 5.1.1 https support google com mail p NoSuchUser si123.45 - gsmtp',
    ],
    [
      "550 5.7.1 Messages from [203.0.113.5] weren't sent (S3140). See http://mail.live.com/mail/troubleshooting.aspx#errors. [AM4.prod.outlook.com 2026-11-30T09:00:00.000Z 08DC]",
      "550 5.7.1 Messages from [203.0.113.5] weren't sent (S3140). See http mail live com mail troubleshooting aspx#errors. [AM4 prod outlook com 2026-11-30T09:00:00.000Z 08DC]",
    ],
    ['550 5.1.1 <ana@example.com>: rejected', '550 5.1.1 <ana example com>: rejected'],
    ['http://203.0.113.5/login or 203.0.113.5/x', 'http 203 0 113 5 login or 203 0 113 5 x'],
    ['evil.com, www.evil.com/evil.com', 'evil com, www evil com evil com'],
    ['5.1.1 evil&#46;com', '5 1 1 evil com'],
  ])('the answer %j loses only its addresses', (answer, expected) => {
    expect(removeLinks(answer)).toBe(expected)
    expect(hasAddress(expected, ['203.0.113.5'])).toBe(false)
  })

  test('an encoded word that mail programs decode counts as an address', () => {
    expect(hasAddress(`Shop ${ENCODED}`)).toBe(true)
    expect(hasAddress(removeAddresses(`Shop ${ENCODED}`))).toBe(false)
  })
})
