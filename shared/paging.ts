import { z } from 'zod'

// Two ways through a list. Pages have numbers where somebody wants to know how many there are; a cursor goes on after the last row.

interface Pages {
  /** Rows on a page, unless somebody wants others. */
  limit: number
  most?: number
  mostPages?: number
}

/** Fields of a query for a page by its number. */
export const pageFields = ({ limit, most = 1_000, mostPages = 1_000_000 }: Pages) => ({
  page: z.coerce.number().int().min(1).max(mostPages).default(1),
  limit: z.coerce.number().int().min(1).max(most).default(limit),
})

export const Pagination = z.object({ page: z.number(), limit: z.number(), total: z.number(), pages: z.number() })
export type Pagination = z.infer<typeof Pagination>

/** Fields of a query for what comes after `cursor`, which is `next` of the page before. */
export const cursorFields = ({ limit = 50, most = 200 } = {}) => ({
  cursor: z.string().max(400).optional(),
  limit: z.coerce.number().int().min(1).max(most).default(limit),
})

/** A link to a file, good for two minutes. */
export const DownloadLink = z.object({ url: z.string(), expiresAt: z.string() })
export type DownloadLink = z.infer<typeof DownloadLink>
