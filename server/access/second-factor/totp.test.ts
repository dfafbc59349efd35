import { expect, test } from 'vitest'
import { decodeBase32 } from '../../../test/authenticator.ts'
import { createRecoveryCodes, hashRecoveryCode, readCode } from './rules.ts'
import { base32, buildKeyUri, computeCode, computeStep, findStep } from './totp.ts'

const SECRET = Buffer.from('12345678901234567890')

test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('the code at second %i matches RFC 6238, appendix B: %s', (second, code) => {
  expect(computeCode(SECRET, computeStep(new Date(second * 1_000)), 8)).toBe(code)
})

test.each([
  ['755224', 0],
  ['287082', 1],
  ['359152', 2],
  ['969429', 3],
  ['338314', 4],
  ['254676', 5],
  ['287922', 6],
  ['162583', 7],
  ['399871', 8],
  ['520489', 9],
])('the six-digit code %s matches RFC 4226, appendix D, for count %i', (code, count) => {
  expect(computeCode(SECRET, count)).toBe(code)
})

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('base32 of %j matches RFC 4648 without padding', (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded)
  expect(decodeBase32(encoded).toString()).toBe(text)
})

test('a code is valid in its own step, the one before and the one after only', () => {
  const now = new Date(1_772_463_615_000)
  const steps = [-2, -1, 0, 1, 2].map((by) => findStep(computeCode(SECRET, computeStep(now) + by), SECRET, now))
  expect(steps).toEqual([null, computeStep(now) - 1, computeStep(now), computeStep(now) + 1, null])
  expect(findStep('12345', SECRET, now)).toBeNull()
  expect(findStep('éééééé', SECRET, now)).toBeNull()
})

test('the QR code names the product, the user and the secret', () => {
  const uri = new URL(buildKeyUri(SECRET, 'ada+shop@example.com', 'Recoup'))
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/Recoup:ada+shop@example.com',
  ])
  expect(Object.fromEntries(uri.searchParams)).toEqual({ secret: base32(SECRET), issuer: 'Recoup' })
})

test('codes are read in every spelling', () => {
  expect(readCode(' 123 456 ')).toEqual({ kind: 'app', code: '123456' })
  const [code = ''] = createRecoveryCodes()
  expect(code).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
  const written = ` ${code.replaceAll('-', ' ').toUpperCase()} `
  expect(readCode(written)).toEqual({ kind: 'recovery', hash: hashRecoveryCode(code) })
})

test('ten recovery codes are all different', () => {
  expect(new Set(createRecoveryCodes()).size).toBe(10)
})
