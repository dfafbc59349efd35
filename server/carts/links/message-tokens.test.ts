import { expect, test } from 'vitest'
import { createId } from '../../core/common/ids.ts'
import { createSecrets } from '../../core/common/secrets.ts'
import { createClickPath, createToken, readClick, readToken, type TokenPurpose } from './message-tokens.ts'

const secrets = createSecrets('a secret of the tests, long enough to be one')
const purposes: TokenPurpose[] = ['open', 'honeypot', 'click', 'unsubscribe', 'preferences', 'push']
const id = '0195d3a0-0000-7000-8000-000000000001'
const SALE = 'https://shop.example/sale?for=ärmel&x=1'

function buildClick(messageId: string, target: string | null) {
  const { pathname, searchParams } = new URL(createClickPath(secrets, messageId, target), 'https://recoup.example')
  return { token: pathname.slice(3), to: searchParams.get('to') ?? '' }
}

const flipBytes = (text: string) =>
  [...Buffer.from(text, 'base64url')].map((_, at) => {
    const bytes = Buffer.from(text, 'base64url')
    bytes[at]! ^= 1
    return bytes.toString('base64url')
  })

test('a token names its message for one purpose and looks like any other (X1)', () => {
  for (const purpose of purposes) {
    const token = createToken(secrets, purpose, id)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(purposes.filter((each) => readToken(secrets, each, token) === id)).toEqual([purpose])
  }
  const shared = purposes.flatMap((purpose) => [id, createId()].map((each) => createToken(secrets, purpose, each)))
  expect(new Set(shared.map((token) => token.slice(0, 8))).size).toBe(shared.length)
})

test('a token cannot be forged: every byte counts, other servers’ are refused, and each has one encoding (X1)', () => {
  const token = createToken(secrets, 'unsubscribe', id)
  const wrong = [...flipBytes(token), '', token.slice(1), `${token}A`, secrets.token('unsubscribe', id), ` ${token}`]
  wrong.push(createToken(createSecrets('another secret, long enough to be one'), 'unsubscribe', id))
  // The last of 43 characters has two unused bits.
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.indexOf(token[42]!)
  wrong.push(token.slice(0, 42) + 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'[last + 1])
  // One half of one, one half of another.
  const other = Buffer.from(createToken(secrets, 'unsubscribe', createId()), 'base64url')
  const own = Buffer.from(token, 'base64url')
  wrong.push(Buffer.concat([own.subarray(0, 16), other.subarray(16)]).toString('base64url'))
  wrong.push(Buffer.concat([other.subarray(0, 16), own.subarray(16)]).toString('base64url'))
  expect(wrong.filter((each) => readToken(secrets, 'unsubscribe', each) !== null)).toEqual([])
})

test('a click’s target can be neither read nor changed (X1)', () => {
  const { token, to } = buildClick(id, SALE)
  expect(readClick(secrets, token, to)).toEqual({ messageId: id, target: SALE })
  expect(Buffer.from(to, 'base64url').toString('latin1')).not.toMatch(/shop|sale|http/)
  const wrong = [
    ...flipBytes(to),
    '',
    to.slice(0, -2),
    `${to}AA`,
    `${to}=`,
    buildClick(id, 'https://shop.example/other').to,
  ]
  wrong.push(buildClick(createId(), SALE).to, Buffer.from(SALE).toString('base64url'))
  expect(wrong.filter((each) => readClick(secrets, token, each) !== null)).toEqual([])
  expect(flipBytes(token).filter((each) => readClick(secrets, each, to) !== null)).toEqual([])
})

test('tokens for the message’s page and for a shop page are not interchangeable (X1)', () => {
  const [own, sale] = [buildClick(id, null), buildClick(id, SALE)]
  expect(own.to).toBe('')
  expect(own.token).toBe(createToken(secrets, 'click', id))
  expect(readClick(secrets, own.token, '')).toEqual({ messageId: id, target: null })
  expect(readClick(secrets, own.token, sale.to)).toBeNull()
  expect(readClick(secrets, sale.token, '')).toBeNull()
  expect(readToken(secrets, 'click', sale.token)).toBeNull()
  expect(createClickPath(secrets, id, `https://shop.example/${'p'.repeat(60)}`).length).toBeLessThan(165)
})

test('pixels of mails sent before still belong to their messages', () => {
  const keyed = createSecrets('a secret of the tests, long enough to be one')
  expect(createToken(keyed, 'open', id)).toBe('r3uVFdXlDI0o4qO3e7RUPgHDlbqyrL2fHqoX6ajAVIY')
  expect(createToken(keyed, 'honeypot', id)).toBe('RugLkhcAO6AZIXQWpflejOj2qrE3cc-0CrZl6lBWosE')
})
