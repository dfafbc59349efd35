import crypto from 'node:crypto'

/** Digest for an idempotency key: equal values give the same key. */
export const computeDigest = (value: unknown): string => crypto.hash('sha256', JSON.stringify(value)).slice(0, 32)
