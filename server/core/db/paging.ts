import type { z } from 'zod'
import type { Pagination } from '../../../shared/paging.ts'
import { AppError } from '../common/errors.ts'

// Pages of a list. Pure: statements stand in the noun's own sql.ts.

interface Page {
  page: number
  limit: number
}

/** What the reply says of a page by its number. */
export const paginationOf = ({ page, limit }: Page, total: number): Pagination => ({
  ...{ page, limit, total },
  pages: Math.ceil(total / limit),
})

/** Which rows a numbered page has. Null: it is beyond the end. */
export interface PageWindow {
  offset: number
  limit: number
  /** Read from the end, in the opposite order: the page is nearer to it. */
  isFromEnd: boolean
}

/**
 * With the total known, a page of the second half is read from the list's end, so at most half of its index is passed over. What is read
 * from the end comes in the opposite order. Only for an order that an index serves both ways.
 */
export function pageWindow({ page, limit }: Page, total: number, isTwoWay: boolean): PageWindow | null {
  const start = (page - 1) * limit
  const rows = Math.min(limit, total - start)
  if (rows <= 0) return null
  const isFromEnd = isTwoWay && start > 0 && start + rows > total / 2
  return { offset: isFromEnd ? total - start - rows : start, limit: rows, isFromEnd }
}

/** One row more than are shown was read: it tells whether there is a next page, which begins after the last one shown. */
export function cursorPage<Row>(rows: readonly Row[], limit: number, placeOf: (row: Row) => unknown) {
  const shown = rows.slice(0, limit)
  return { shown, next: rows.length > limit ? cursorOf(placeOf(shown.at(-1)!)) : null }
}

const cursorOf = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString('base64url')

/** The place a cursor names. It comes from outside: `place` says what it may be. */
export function readCursor<Place extends z.ZodType>(cursor: string | undefined, place: Place): z.output<Place> | null {
  if (!cursor) return null
  try {
    return place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch (cause) {
    throw new AppError('invalid', 'This page of the list cannot be opened. Start from the first page.', { cause })
  }
}
