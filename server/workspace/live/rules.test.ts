import { expect, test } from 'vitest'
import { allowance, isOwnOrigin, memberKey, readAnnouncement } from './rules.ts'

test('the server accepts connections from the public address and the requested host only', () => {
  const ours = 'https://recoup.example.com'
  expect(isOwnOrigin(ours, '10.0.0.5:3000', ours)).toBe(true)
  expect(isOwnOrigin('http://127.0.0.1:3000', '127.0.0.1:3000', 'http://localhost:3000')).toBe(true)
  expect(isOwnOrigin(undefined, 'recoup.example.com', ours)).toBe(true)
  for (const foreign of ['https://evil.example', 'https://recoup.example.com.evil.example', 'null', '']) {
    expect(isOwnOrigin(foreign, 'recoup.example.com', ours), foreign).toBe(false)
  }
})

test('the rate limit allows a burst of messages and then a rate', () => {
  const isWithin = allowance(3, 2)
  expect([0, 0, 0, 0].map(isWithin)).toEqual([true, true, true, false])
  expect([400, 600, 600].map(isWithin)).toEqual([false, true, false])
  expect(isWithin(100)).toBe(false)
})

test('the server ignores an unknown announcement', () => {
  expect(readAnnouncement('store:s1:carts')).toEqual({ storeId: 's1', part: 'carts' })
  expect(readAnnouncement('account:a1')).toEqual({ accountId: 'a1' })
  expect(readAnnouncement('news:s1')).toEqual({ newsOf: 's1' })
  for (const payload of ['news', 'mine:a1', 'mine:a1:u1', 'mine:a1:u1:read', 'mine:a1:u1:sing:n1']) {
    expect(readAnnouncement(payload), payload).toBeUndefined()
  }
  for (const payload of ['', 'store', 'store:s1', 'store:s1:passwords', 'account:', 'x:y:carts']) {
    expect(readAnnouncement(payload), payload).toBeUndefined()
  }
})

test('notification changes go to all tabs of the member (A 7)', () => {
  const own = (suffix: string) => readAnnouncement(`mine:a1:u1:${suffix}`)
  expect(own('read:n1,n2')).toEqual({
    member: memberKey('a1', 'u1'),
    own: { type: 'read', notificationIds: ['n1', 'n2'], read: true },
  })
  expect(own('unread:n1')).toMatchObject({ own: { type: 'read', notificationIds: ['n1'], read: false } })
  expect(own('read-up-to:n1')).toMatchObject({ own: { type: 'read', notificationIds: [], upTo: 'n1', read: true } })
  expect(own('delete:n1')).toMatchObject({ own: { type: 'delete', notificationIds: ['n1'] } })
  expect(own('delete-up-to:n1')).toMatchObject({ own: { type: 'delete', notificationIds: [], upTo: 'n1' } })
  expect(own('restore:')).toMatchObject({ own: 'again' })
})
