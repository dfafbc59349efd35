import { AppError } from '../../core/common/public.ts'

const MAX_KEY_LENGTH = 255

/** The idempotency key of a request (D9); null: none. */
export function readIdempotencyKey({
  headers,
}: {
  headers: Record<string, string | string[] | undefined>
}): string | null {
  const header = headers['idempotency-key']
  if (header === undefined || header === '') return null
  const key = String(header)
  if (key.length > MAX_KEY_LENGTH)
    throw new AppError('invalid', `An Idempotency-Key has at most ${MAX_KEY_LENGTH} characters.`)
  return key
}
