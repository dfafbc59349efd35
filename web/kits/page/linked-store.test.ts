import { expect, test } from 'vitest'
import { findLinkedStore } from './LinkedStore.tsx'

test('opens the store of a link if it belongs to the account', () => {
  const stores = [{ id: 's1' }, { id: 's2' }]
  expect(findLinkedStore(null, 's1', stores)).toBe('open')
  expect(findLinkedStore('s1', 's1', undefined)).toBe('open')
  expect(findLinkedStore('s2', 's1', undefined)).toBe('waiting')
  expect(findLinkedStore('s2', undefined, stores)).toBe('waiting')
  expect(findLinkedStore('s2', 's1', stores)).toBe('other')
  expect(findLinkedStore('s3', 's1', stores)).toBe('unknown')
})
