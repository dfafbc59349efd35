import { AppError } from '../../core/common/errors.ts'

const LONGEST_KEY = 255

/** The idempotency key of a request (D9); null: none. */
export function idempotencyKeyOf({
  headers,
}: {
  headers: Record<string, string | string[] | undefined>
}): string | null {
  const header = headers['idempotency-key']
  if (header === undefined || header === '') return null
  const key = String(header)
  if (key.length > LONGEST_KEY)
    throw new AppError('invalid', `An Idempotency-Key has at most ${LONGEST_KEY} characters.`)
  return key
}
