import type { Db } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'

// Whoever calls for a shop, and how a call is refused.

/** A refusal with the code of the protocol, told to whoever has signed. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: number
  readonly code: string
  readonly more: Record<string, unknown>
  constructor(status: number, code: string, message: string, more: Record<string, unknown> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.more = more
  }
}

/** One answer for all: whether the store exists is nobody's business. */
export const notSigned = () => new AppError('unauthenticated', 'Not accepted.')

export interface Caller {
  storeId: string
  accountId: string
  homeUrl: string
  db: Db
}

export const tooMany = (retryAfterS: number) => new Refusal(429, 'rate_limited', 'Too many calls.', { retryAfterS })
