import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measureSms, toGsm } from './sms.ts'

const GSM =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const EXTENSION = '\f^{}\\[~]|€'
const gsmText = fc.array(fc.constantFrom(...GSM, ...EXTENSION), { maxLength: 900 }).map((signs) => signs.join(''))
const anyText = fc.string({ unit: 'grapheme', maxLength: 500 })

describe('the length of an SMS', () => {
  test.each([
    ['', 'GSM-7', 0, 0],
    ['a', 'GSM-7', 1, 1],
    ['a'.repeat(160), 'GSM-7', 160, 1],
    ['a'.repeat(161), 'GSM-7', 161, 2],
    ['a'.repeat(306), 'GSM-7', 306, 2],
    ['a'.repeat(307), 'GSM-7', 307, 3],
    ['€'.repeat(80), 'GSM-7', 160, 1],
    [`${'a'.repeat(159)}€`, 'GSM-7', 161, 2],
    ['ж', 'UCS-2', 1, 1],
    ['ж'.repeat(70), 'UCS-2', 70, 1],
    ['ж'.repeat(71), 'UCS-2', 71, 2],
    ['ж'.repeat(134), 'UCS-2', 134, 2],
    ['ж'.repeat(135), 'UCS-2', 135, 3],
    ['🛒'.repeat(35), 'UCS-2', 70, 1],
    ['🛒'.repeat(36), 'UCS-2', 72, 2],
  ])('%#: %.12s', (text, encoding, units, segments) => {
    expect(measureSms(text)).toMatchObject({ encoding, units, segments })
  })

  test('keeps a character of two units in one segment', () => {
    // 152 + 2 exceed 153: the character moves to the second segment, which then overflows into a third.
    expect(measureSms(`${'a'.repeat(152)}€${'a'.repeat(152)}`).segments).toBe(3)
    expect(measureSms(`ж${'🛒'.repeat(66)}`).segments).toBe(2)
    expect(measureSms(`${'🛒'.repeat(67)}`).segments).toBe(3)
  })

  test('becomes UCS-2 by one character outside the alphabet, which is reported', () => {
    expect(measureSms('Your cart’s waiting – 10 % off’')).toMatchObject({ encoding: 'UCS-2', culprits: ['’', '–'] })
  })

  test('counts septets of alphabet characters and fills the segments', () => {
    fc.assert(
      fc.property(gsmText, (text) => {
        const { encoding, units, segments, remaining } = measureSms(text)
        const expected = [...text].reduce((sum, sign) => sum + (EXTENSION.includes(sign) ? 2 : 1), 0)
        expect([encoding, units]).toEqual(['GSM-7', expected])
        if (units <= 160) expect([segments, remaining]).toEqual([units === 0 ? 0 : 1, 160 - units])
        // At most one septet of each full segment stays empty.
        else {
          expect(segments).toBeGreaterThanOrEqual(Math.ceil(units / 153))
          expect(segments).toBeLessThanOrEqual(Math.ceil(units / 152))
        }
      }),
    )
  })

  test('never decreases with more text of the same encoding', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, more) => {
        const [before, after] = [measureSms(text), measureSms(text + more)]
        expect(after.segments >= before.segments || after.encoding !== before.encoding).toBe(true)
        if (before.encoding === 'UCS-2') expect(before.units).toBe(text.length)
        expect(before.remaining).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})

describe('conversion to the GSM alphabet', () => {
  test('replaces quotes, dashes, spaces and accents, and keeps other scripts and emoji', () => {
    expect(toGsm('“Dóna’s” – 5\u00a0€… Łódź')).toBe('"Dona\'s" - 5 €... Łodz')
    expect(toGsm('été à Noël')).toBe('été à Noel')
    expect(toGsm('Привет 🛒')).toBe('Привет 🛒')
  })

  test('saves segments if every character has a counterpart', () => {
    const text = `${'a'.repeat(100)}’`
    expect([measureSms(text).segments, measureSms(toGsm(text)).segments]).toEqual([2, 1])
    expect(measureSms(toGsm(`${text}ж`)).encoding).toBe('UCS-2')
  })

  test('is idempotent and keeps characters of the alphabet', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = toGsm(text)
        expect(toGsm(once)).toBe(once)
      }),
    )
    fc.assert(
      fc.property(gsmText, (text) => {
        expect(toGsm(text)).toBe(text)
      }),
    )
  })
})
