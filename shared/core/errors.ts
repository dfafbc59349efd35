/** Error codes with their HTTP status. Clients branch on the code. */
export const statusOf = {
  invalid: 400,
  unauthenticated: 401,
  session: 401,
  second_factor: 401,
  store_credentials: 401,
  forbidden: 403,
  plan_required: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unprocessable: 422,
  rate_limited: 429,
  store_unreachable: 503,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof statusOf

/** `error` is the message for people; `retryAfterS` comes with `rate_limited`. */
export interface ErrorReply {
  error: string
  code: ErrorCode | 'internal'
  requestId: string
  retryAfterS?: number
  fields?: Record<string, string>
}
