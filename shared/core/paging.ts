import { z } from 'zod'

// Two kinds of paging: numbered pages where a total is needed, and a cursor that continues after the last row.

interface Pages {
  /** Default number of rows on a page. */
  limit: number
  max?: number
  maxPages?: number
}

/** Query fields for numbered pages. */
export const buildPageFields = ({ limit, max = 1_000, maxPages = 1_000_000 }: Pages) => ({
  page: z.coerce.number().int().min(1).max(maxPages).default(1),
  limit: z.coerce.number().int().min(1).max(max).default(limit),
})

export const Pagination = z.object({ page: z.number(), limit: z.number(), total: z.number(), pages: z.number() })
export type Pagination = z.infer<typeof Pagination>

/** Query fields for the rows after `cursor`, which is `next` of the previous page. */
export const buildCursorFields = ({ limit = 50, max = 200 } = {}) => ({
  cursor: z.string().max(400).optional(),
  limit: z.coerce.number().int().min(1).max(max).default(limit),
})

/** A download link, valid for two minutes. */
export const DownloadLink = z.object({ url: z.string(), expiresAt: z.string() })
export type DownloadLink = z.infer<typeof DownloadLink>
