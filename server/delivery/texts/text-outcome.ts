import { textCodes } from '../../../shared/messages/text-codes.ts'
import { joinLines, type Outcome } from '../../messages/channels/public.ts'

// Maps a provider's error to an outcome (engine, "Message states" and D4). Pure.

export interface ProviderRefusal {
  status: number
  /** The provider's error code; null: none. */
  code: number | null
  message: string
  retryAfterMs: number | null
}

/**
 * `retry` only on proof of non-acceptance: rate limit or failed authentication. A 5xx may have come after the message
 * was accepted, so it is `unknown`. All other errors are final.
 */
export function toRefusalOutcome({ status, code, message, retryAfterMs }: ProviderRefusal): Outcome {
  const known = code === null ? undefined : textCodes[String(code)]
  const response = joinLines(code === null ? `HTTP ${status} ${message}` : `${code} ${message}`)
  if (status >= 500) return { kind: 'unknown', reason: `http_${status}`, response }
  if (status === 429 || known?.effect === 'retry' || status === 401) {
    const reason = code === null ? (status === 401 ? 'sign_in_failed' : `http_${status}`) : String(code)
    return retryAfterMs === null
      ? { kind: 'retry', reason, response }
      : { kind: 'retry', reason, response, retryAfterMs }
  }
  const reason = code === null ? `http_${status}` : String(code)
  const suppress = known?.effect
  return suppress
    ? { kind: 'rejected', reason, response, isRecipientFault: true, suppress }
    : { kind: 'rejected', reason, response, isRecipientFault: false }
}
