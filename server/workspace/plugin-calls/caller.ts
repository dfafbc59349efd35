import { AppError } from '../../core/common/public.ts'
import type { Db } from '../../core/db/public.ts'

// The caller of a signed request, and rejections of the protocol.

/** A rejection with a code of the protocol, sent to callers with a valid signature. */
export class ProtocolError extends Error {
  override name = 'ProtocolError'
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

/** The same answer for all causes, so that it does not reveal whether the store exists. */
export const unauthenticatedError = () => new AppError('unauthenticated', 'Not accepted.')

export interface Caller {
  storeId: string
  accountId: string
  homeUrl: string
  db: Db
}

export const rateLimitError = (retryAfterS: number) =>
  new ProtocolError(429, 'rate_limited', 'Too many calls. Try again later.', { retryAfterS })
