import type { z } from 'zod'
import type { Pagination } from '../../../shared/core/paging.ts'
import { AppError } from '../common/public.ts'

// Pages of a list. Pure: the statements are in each noun's sql.ts.

interface Page {
  page: number
  limit: number
}

/** The pagination of a reply with numbered pages. */
export const describePage = ({ page, limit }: Page, total: number): Pagination => ({
  page,
  limit,
  total,
  pages: Math.ceil(total / limit),
})

/** The rows of a numbered page. Null: the page is beyond the end. */
export interface PageWindow {
  offset: number
  limit: number
  /** Read in opposite order from the end, which is nearer to the page. */
  isFromEnd: boolean
}

/**
 * With a known total, pages of the second half are read from the end, so that at most half of the index is skipped.
 * Those rows come in opposite order. Only for an order that an index supports in both directions.
 */
export function findPageWindow({ page, limit }: Page, total: number, isTwoWay: boolean): PageWindow | null {
  const start = (page - 1) * limit
  const rows = Math.min(limit, total - start)
  if (rows <= 0) return null
  const isFromEnd = isTwoWay && start > 0 && start + rows > total / 2
  return { offset: isFromEnd ? total - start - rows : start, limit: rows, isFromEnd }
}

/** Expects one row more than it returns: the extra row shows that there is a next page. */
export function cursorPage<Row>(rows: readonly Row[], limit: number, placeOf: (row: Row) => unknown) {
  const pageRows = rows.slice(0, limit)
  return { pageRows, next: rows.length > limit ? encodeCursor(placeOf(pageRows.at(-1)!)) : null }
}

const encodeCursor = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString('base64url')

/** Parses a cursor. It is untrusted input: `place` validates it. */
export function readCursor<Place extends z.ZodType>(cursor: string | undefined, place: Place): z.output<Place> | null {
  if (!cursor) return null
  try {
    return place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch (cause) {
    throw new AppError('invalid', 'This page of the list cannot be opened. Start from the first page.', { cause })
  }
}
