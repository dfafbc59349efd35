import crypto from 'node:crypto'

/** Time-ordered, so that a store's newest rows are adjacent in its indexes. */
export const createId = (): string => crypto.randomUUIDv7()

/** Content-based id (RFC 9562, version 8): equal content gives the same row. */
export function deriveId(content: string): string {
  const hex = crypto.hash('sha256', content, 'hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
