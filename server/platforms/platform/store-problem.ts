import type { StoreProblemCode } from './platform.ts'

/** What a store did wrong, named. `detail` is the store's own words, safe to show, without keys. */
export class StoreProblem extends Error {
  override name = 'StoreProblem'
  readonly code: StoreProblemCode
  readonly detail: string | null
  /** From Retry-After, when the store asked for patience. */
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
