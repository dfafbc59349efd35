import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addMoney,
  divideMinor,
  getCurrencyExponent,
  parseCurrency,
  parseMinor,
  parseMoney,
  shareMoney,
} from './money.ts'

test.each([
  ['49.50', 'USD', 4950],
  ['49.5', 'USD', 4950],
  [49.5, 'USD', 4950],
  ['0', 'USD', 0],
  ['.5', 'USD', 50],
  ['-186.61', 'USD', -18661],
  ['1234', 'JPY', 1234],
  ['1234.5', 'JPY', 1235],
  ['1.2345', 'KWD', 1235],
  [40.333333333333336, 'USD', 4033],
  ['1.005', 'USD', 101],
  ['-1.005', 'USD', -101],
  [1e-7, 'USD', 0],
  [1e21, 'USD', null],
  ['90071992547409.91', 'USD', 9007199254740991],
  ['90071992547409.92', 'USD', null],
  ['$49.50', 'USD', 4950],
  ['-$49.50', 'USD', -4950],
  ['49.50 €', 'EUR', 4950],
  ['£ 49.50', 'GBP', 4950],
  ['$', 'USD', null],
  ['$49.50$1', 'USD', null],
  ['4$9.50', 'USD', null],
  ['', 'USD', null],
  ['12,50', 'USD', null],
  ['1.2.3', 'USD', null],
  ['NaN', 'USD', null],
  [Number.NaN, 'USD', null],
  [null, 'USD', null],
  [{}, 'USD', null],
  ['9'.repeat(65), 'USD', null],
  ['1e99', 'USD', null],
])('parseMinor parses %j in %s as %j minor units', { tags: ['B5'] }, (input, currency, minor) => {
  expect(parseMinor(input, currency)).toBe(minor)
})

test("getCurrencyExponent returns the currency's own, independent of the ICU version", () => {
  expect(['USD', 'JPY', 'KWD', 'CLF', 'HUF', 'IDR', 'XYZ', 'toString'].map(getCurrencyExponent)).toEqual([
    2, 0, 3, 4, 2, 2, 2, 2,
  ])
})

test("parseMinor reads store amounts with the currency's own decimals without loss", () => {
  const currency = fc.constantFrom('USD', 'JPY', 'KWD', 'CLF', 'HUF')
  fc.assert(
    fc.property(fc.maxSafeInteger(), currency, (minor, code) => {
      const exponent = getCurrencyExponent(code)
      const digits = String(Math.abs(minor)).padStart(exponent + 1, '0')
      const text = `${minor < 0 ? '-' : ''}${digits.slice(0, digits.length - exponent)}.${digits.slice(digits.length - exponent)}`
      expect(parseMinor(text, code)).toBe(minor)
    }),
  )
})

test('parseMinor returns null for invalid amounts, and a safe integer for valid ones', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.string(), fc.double().map(String)), (input) => {
      const minor = parseMinor(input, 'USD')
      expect(minor === null || Number.isSafeInteger(minor)).toBe(true)
    }),
  )
})

test('addMoney rejects adding two currencies', () => {
  expect(addMoney(parseMoney('1.10', 'EUR'), parseMoney('2.20', 'EUR'))).toEqual({ amountMinor: 330, currency: 'EUR' })
  expect(() => addMoney(parseMoney('1', 'EUR'), parseMoney('1', 'USD'))).toThrow(RangeError)
  expect(() => parseMoney('free', 'EUR')).toThrow(RangeError)
})

test('shareMoney computes a share in basis points, rounded half away from zero', () => {
  expect(shareMoney({ amountMinor: 1005, currency: 'USD' }, 1000).amountMinor).toBe(101)
  expect(shareMoney({ amountMinor: -1005, currency: 'USD' }, 1000).amountMinor).toBe(-101)
  expect(divideMinor(1000, 3)).toBe(333)
})

test('parseCurrency accepts three letters as a currency', () => {
  expect([' usd ', 'EURO', '', null, '€'].map(parseCurrency)).toEqual(['USD', null, null, null, null])
})
