import crypto from 'node:crypto'

/** Time-ordered, so that the newest rows of a store lie together in its indexes. */
export const newId = (): string => crypto.randomUUIDv7()
