import { ApiError } from '../../core/api/api.ts'

/** Error text (A 8): the server's message, or the specification's if there was none. */
export function getFailureText(error: Error | null, fixed: string): string | null {
  if (!error) return null
  const hasOwnMessage = error instanceof ApiError && error.code !== 'offline' && error.code !== 'internal'
  return hasOwnMessage ? error.message : fixed
}
