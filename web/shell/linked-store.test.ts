import { expect, test } from 'vitest'
import { linkedStore } from './linked-store.ts'

test('opens the store a link names if it is one of the account’s', () => {
  const stores = [{ id: 's1' }, { id: 's2' }]
  expect(linkedStore(null, 's1', stores)).toBe('open')
  expect(linkedStore('s1', 's1', undefined)).toBe('open')
  expect(linkedStore('s2', 's1', undefined)).toBe('waiting')
  expect(linkedStore('s2', undefined, stores)).toBe('waiting')
  expect(linkedStore('s2', 's1', stores)).toBe('other')
  expect(linkedStore('s3', 's1', stores)).toBe('unknown')
})
