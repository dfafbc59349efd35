import type { ErrorCode } from '../../../shared/core/errors.ts'

/** An expected failure with a code. Any other error is a bug and becomes a 500. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly retryAfterS: number | undefined
  readonly fields: Record<string, string> | undefined
  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorOptions & { retryAfterS?: number; fields?: Record<string, string> } = {},
  ) {
    super(message, options)
    this.code = code
    this.retryAfterS = options.retryAfterS
    this.fields = options.fields
  }
}

/** Returns the row, or throws `not_found` with the name in `what`. */
export function requireFound<T>(row: T | undefined | null, what: string): T {
  if (row === undefined || row === null) throw new AppError('not_found', `${what} not found`)
  return row
}
