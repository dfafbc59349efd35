import type { FastifyRequest } from 'fastify'
import { AppError } from '../core/errors.ts'
import type { StoreCall } from '../http/http.ts'
import type { IdempotentRequest } from './idempotency.ts'

// What of a call tells whether it comes again (D9).

const LONGEST_KEY = 255

/** The path belongs to what a key stands for. */
export function idempotentRequest({
  session,
  request,
  body,
  store,
}: StoreCall<unknown, unknown, unknown>): IdempotentRequest {
  return { session, key: keyOf(request), body: { path: request.routeOptions.url, storeId: store.storeId, body } }
}

function keyOf(request: FastifyRequest): string | null {
  const header = request.headers['idempotency-key']
  if (header === undefined || header === '') return null
  const key = String(header)
  if (key.length > LONGEST_KEY)
    throw new AppError('invalid', `An Idempotency-Key has at most ${LONGEST_KEY} characters.`)
  return key
}
