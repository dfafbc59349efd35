import { expect, test } from 'vitest'
import { allowance, isOwnOrigin, readAnnouncement } from './rules.ts'

test('only pages of the public address, or of the one that was asked, may connect', () => {
  const ours = 'https://recoup.example.com'
  expect(isOwnOrigin(ours, '10.0.0.5:3000', ours)).toBe(true)
  expect(isOwnOrigin('http://127.0.0.1:3000', '127.0.0.1:3000', 'http://localhost:3000')).toBe(true)
  expect(isOwnOrigin(undefined, 'recoup.example.com', ours)).toBe(true)
  for (const foreign of ['https://evil.example', 'https://recoup.example.com.evil.example', 'null', '']) {
    expect(isOwnOrigin(foreign, 'recoup.example.com', ours), foreign).toBe(false)
  }
})

test('a connection may say some things at once and a few a second', () => {
  const isWithin = allowance(3, 2)
  expect([0, 0, 0, 0].map(isWithin)).toEqual([true, true, true, false])
  expect([400, 600, 600].map(isWithin)).toEqual([false, true, false])
  expect(isWithin(100)).toBe(false)
})

test('what nobody of ours has said is no announcement', () => {
  expect(readAnnouncement('store:s1:carts')).toEqual({ storeId: 's1', part: 'carts' })
  expect(readAnnouncement('account:a1')).toEqual({ accountId: 'a1' })
  for (const words of ['', 'store', 'store:s1', 'store:s1:passwords', 'account:', 'x:y:carts']) {
    expect(readAnnouncement(words), words).toBeUndefined()
  }
})
