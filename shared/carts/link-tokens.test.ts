import { expect, test } from 'vitest'
import { buildPlainLink, parseToken } from './link-tokens.ts'

const token = 'a-Z_0'.padEnd(43, 'x')

test.each(['.', ')', ',', '>', '/', '%3E', '&amp;x=1', '."', '%20', '…'])('drops %s after a link', (sign) => {
  for (const kind of ['c', 'o', 'u']) {
    expect(buildPlainLink(`/${kind}/${token}${sign}`)).toBe(`/${kind}/${token}`)
    expect(buildPlainLink(`/${kind}/${token}${sign}?to=abc`)).toBe(`/${kind}/${token}?to=abc`)
  }
  expect(parseToken(`rt_${token}${sign}`)).toBe(`rt_${token}`)
})

test.each([
  `/c/${token}`,
  `/c/${token}x`,
  `/c/${token}?to=a.b`,
  '/c/short.',
  '/carts',
  `/x/${token}.`,
  '/',
])('keeps %s', (url) => {
  expect(buildPlainLink(url)).toBe(url)
})

test('tokenIn returns text without a token unchanged', () => {
  expect([parseToken('rt_sample'), parseToken('')]).toEqual(['rt_sample', ''])
})
