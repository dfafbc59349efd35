import type { StoreProblemCode } from '../../../shared/access/store-problems.ts'

/** A store's failure by code. `detail` is the store's message, safe to show, without keys. */
export class StoreProblem extends Error {
  override name = 'StoreProblem'
  readonly code: StoreProblemCode
  readonly detail: string | null
  /** From Retry-After, when the store sent it. */
  readonly retryAfterMs: number | null
  constructor(
    code: StoreProblemCode,
    detail: string | null = null,
    options: ErrorOptions & { retryAfterMs?: number } = {},
  ) {
    super(detail ? `${code}: ${detail}` : code, options)
    this.code = code
    this.detail = detail
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}
