import { expect, test } from 'vitest'
import { isTestShown } from './useTestsOnce.ts'

test('a connection test is shown where it is unread, and stays while the bell is open on it', () => {
  expect(isTestShown({ read: false }, undefined)).toBe(true)
  expect(isTestShown({ read: true }, 'showing')).toBe(true)
  expect(isTestShown({ read: true }, 'shown')).toBe(false)
})

test('a connection test that another tab has shown and read is not shown again', () => {
  expect(isTestShown({ read: true }, undefined)).toBe(false)
})
