import { ApiError } from '../api.ts'

/** Why it failed (A 8): in the server's words, and in the specification's where there was no answer, or one without words. */
export function failureOf(error: Error | null, fixed: string): string | null {
  if (!error) return null
  const hasWords = error instanceof ApiError && error.code !== 'offline' && error.code !== 'internal'
  return hasWords ? error.message : fixed
}
