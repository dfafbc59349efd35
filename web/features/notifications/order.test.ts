import { describe, expect, test } from 'vitest'
import {
  adjustUnread,
  formatBadge,
  getNextPage,
  getRetryDelayMs,
  isUpTo,
  mergeItems,
  type OrderedItem,
  setRead,
} from './order.ts'

const buildItem = (id: string, minute: number, read = false): OrderedItem => ({
  _id: id,
  createdAt: new Date(Date.UTC(2026, 2, 10, 12, minute)).toISOString(),
  read,
})
const listIds = (items: OrderedItem[]) => items.map(({ _id }) => _id)

describe('a list of notifications', () => {
  test('is sorted newest first, with the one written last first at the same instant', () => {
    expect(listIds(mergeItems([buildItem('a', 1), buildItem('b', 2)], [buildItem('c', 3), buildItem('d', 1)]))).toEqual(
      ['c', 'b', 'd', 'a'],
    )
  })

  test('contains each notification once, however often it arrives (A 4.6)', () => {
    const twice = mergeItems(mergeItems([], [buildItem('a', 1)]), [buildItem('a', 1), buildItem('a', 1)])
    expect(listIds(twice)).toEqual(['a'])
  })

  test('keeps a notification read when its event arrives late', () => {
    expect(mergeItems([buildItem('a', 1, true)], [buildItem('a', 1)])[0]!.read).toBe(true)
    expect(mergeItems([buildItem('a', 1)], [buildItem('a', 1, true)])[0]!.read).toBe(true)
  })

  test('marks the named ones and leaves the others unchanged', () => {
    const [a, b] = [buildItem('a', 1), buildItem('b', 2)]
    const marked = setRead([b, a], ({ _id }) => _id === 'a')
    expect(marked.map(({ read }) => read)).toEqual([false, true])
    expect(marked[0]).toBe(b)
  })

  test('marks or clears up to the newest visible one, and keeps later ones', () => {
    const [a, b, c] = [buildItem('a', 1), buildItem('b', 2), buildItem('c', 2)]
    expect([a, b, c].map((item) => isUpTo(item, b))).toEqual([true, true, false])
  })

  test('continues with the next page, even after deletions', () => {
    expect([0, 10, 20].map(getNextPage)).toEqual([1, 2, 3])
    // Three were deleted, so the second page has moved up.
    expect([7, 17].map(getNextPage)).toEqual([1, 2])
  })
})

describe('the unread count', () => {
  test('is shown to 99, and as 99+ above', () => {
    expect([1, 99, 100, 250].map(formatBadge)).toEqual(['1', '99', '99+', '99+'])
  })

  test('is never below 0 (A 4.6)', () => {
    expect(adjustUnread(2, -1)).toBe(1)
    expect(adjustUnread(2, -5)).toBe(0)
  })

  test('stays at 99+ while the real number is unknown', () => {
    expect(adjustUnread(100, -1)).toBe(100)
  })
})

test('retries a call after 1, 2 and 4 seconds, and never later than after 10 (A 8)', { tags: ['A8'] }, () => {
  expect([0, 1, 2, 3, 4, 9].map(getRetryDelayMs)).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
})
