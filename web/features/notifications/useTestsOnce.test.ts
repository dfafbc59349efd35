import { expect, test } from 'vitest'
import { isTestVisible } from './BellPanel.tsx'

test('shows an unread connection test and keeps it while the bell is open', () => {
  expect(isTestVisible({ read: false }, undefined)).toBe(true)
  expect(isTestVisible({ read: true }, 'showing')).toBe(true)
  expect(isTestVisible({ read: true }, 'shown')).toBe(false)
})

test('hides a connection test that another tab has shown and read', () => {
  expect(isTestVisible({ read: true }, undefined)).toBe(false)
})
