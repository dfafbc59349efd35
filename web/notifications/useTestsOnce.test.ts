import { expect, test } from 'vitest'
import { isTestShown } from './BellPanel.tsx'

test('shows an unread connection test and keeps it while the bell is open', () => {
  expect(isTestShown({ read: false }, undefined)).toBe(true)
  expect(isTestShown({ read: true }, 'showing')).toBe(true)
  expect(isTestShown({ read: true }, 'shown')).toBe(false)
})

test('hides a connection test that another tab has shown and read', () => {
  expect(isTestShown({ read: true }, undefined)).toBe(false)
})
