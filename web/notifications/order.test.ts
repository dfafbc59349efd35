import { describe, expect, test } from 'vitest'
import { badgeText, countAfter, isUpTo, merge, type Noted, nextPage, retryDelayMs, withRead } from './order.ts'

const noted = (id: string, minute: number, read = false): Noted => ({
  _id: id,
  createdAt: new Date(Date.UTC(2026, 2, 10, 12, minute)).toISOString(),
  read,
})
const idsOf = (items: Noted[]) => items.map(({ _id }) => _id)

describe('a list of notifications', () => {
  test('has the newest first, and of those of one instant the one that was written last', () => {
    expect(idsOf(merge([noted('a', 1), noted('b', 2)], [noted('c', 3), noted('d', 1)]))).toEqual(['c', 'b', 'd', 'a'])
  })

  test('has each notification once, however often it arrives (A 4.6)', () => {
    const twice = merge(merge([], [noted('a', 1)]), [noted('a', 1), noted('a', 1)])
    expect(idsOf(twice)).toEqual(['a'])
  })

  test('keeps what is read as read when its news arrives late', () => {
    expect(merge([noted('a', 1, true)], [noted('a', 1)])[0]!.read).toBe(true)
    expect(merge([noted('a', 1)], [noted('a', 1, true)])[0]!.read).toBe(true)
  })

  test('marks what it is told to mark and leaves the others as they are', () => {
    const [a, b] = [noted('a', 1), noted('b', 2)]
    const marked = withRead([b, a], ({ _id }) => _id === 'a')
    expect(marked.map(({ read }) => read)).toEqual([false, true])
    expect(marked[0]).toBe(b)
  })

  test('is marked or cleared up to the newest that was seen: what came later stays', () => {
    const [a, b, c] = [noted('a', 1), noted('b', 2), noted('c', 2)]
    expect([a, b, c].map((item) => isUpTo(item, b))).toEqual([true, true, false])
  })

  test('continues with the page after those that are there, also when some were deleted from it', () => {
    expect([0, 10, 20].map(nextPage)).toEqual([1, 2, 3])
    // Three were deleted: the page that was second has moved up.
    expect([7, 17].map(nextPage)).toEqual([1, 2])
  })
})

describe('the count of unread', () => {
  test('is written as it is to 99, and as 99+ above', () => {
    expect([1, 99, 100, 250].map(badgeText)).toEqual(['1', '99', '99+', '99+'])
  })

  test('is never below 0 (A 4.6)', () => {
    expect(countAfter(2, -1)).toBe(1)
    expect(countAfter(2, -5)).toBe(0)
  })

  test('stays at 99+ where nobody knows how many there are', () => {
    expect(countAfter(100, -1)).toBe(100)
  })
})

test('a call is made again after 1, 2 and 4 seconds, and never after more than 10 (A 8)', { tags: ['A8'] }, () => {
  expect([0, 1, 2, 3, 4, 9].map(retryDelayMs)).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
})
