import { expect, test } from 'vitest'
import { z } from 'zod'
import { cursorPage, describePage, findPageWindow, readCursor } from './paging.ts'

test('reports the total, and an empty list has zero pages', () => {
  expect(describePage({ page: 2, limit: 10 }, 21)).toEqual({ page: 2, limit: 10, total: 21, pages: 3 })
  expect(describePage({ page: 1, limit: 10 }, 0).pages).toBe(0)
})

test('every page has its rows from either end, and skips at most half of the list', () => {
  for (const total of [0, 1, 9, 10, 11, 95, 100]) {
    const rows = Array.from({ length: total }, (_, n) => n)
    const turned = rows.toReversed()
    const pages: number[] = []
    for (let page = 1; page <= 12; page++) {
      const window = findPageWindow({ page, limit: 10 }, total, true)
      if (!window) continue
      const { offset, limit, isFromEnd } = window
      expect(offset).toBeLessThanOrEqual(total / 2)
      const read = (isFromEnd ? turned : rows).slice(offset, offset + limit)
      pages.push(...(isFromEnd ? read.toReversed() : read))
    }
    expect(pages).toEqual(rows)
  }
  expect(findPageWindow({ page: 10, limit: 10 }, 100, false)).toEqual({ offset: 90, limit: 10, isFromEnd: false })
  expect(findPageWindow({ page: 11, limit: 10 }, 100, true)).toBeNull()
})

test('a cursor continues after the last row, and the last page has none', () => {
  const Place = z.object({ at: z.coerce.date(), id: z.string() })
  const rows = [3, 2, 1].map((n) => ({ at: new Date(n), id: `r${n}`, more: 'x' }))
  const { pageRows, next } = cursorPage(rows, 2, ({ at, id }) => ({ at, id }))
  expect(pageRows.map(({ id }) => id)).toEqual(['r3', 'r2'])
  expect(readCursor(next!, Place)).toEqual({ at: new Date(2), id: 'r2' })
  expect(cursorPage(rows, 3, ({ id }) => id).next).toBeNull()
  expect(readCursor(undefined, Place)).toBeNull()
  for (const broken of ['zzz', '{}', Buffer.from('{"at":"never","id":1}').toString('base64url')]) {
    expect(() => readCursor(broken, Place)).toThrow('Start from the first page.')
  }
})
