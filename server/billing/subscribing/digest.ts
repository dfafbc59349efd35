import crypto from 'node:crypto'

/** Of what an idempotency key stands for: the same words give the same key. */
export const digestOf = (value: unknown): string => crypto.hash('sha256', JSON.stringify(value)).slice(0, 32)
