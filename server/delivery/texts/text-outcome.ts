import { textCodes } from '../../../shared/text-codes.ts'
import { oneLine } from '../../messages/channels/bounce-rules.ts'
import type { Outcome } from '../../messages/channels/channel.ts'

// From a provider's refusal to an outcome (engine, "Sending" and D4). Pure.

export interface ProviderRefusal {
  status: number
  /** The provider's own code; null when the answer holds none. */
  code: number | null
  message: string
  retryAfterMs: number | null
}

/**
 * `retry` only where nothing was accepted: the provider asks to slow down, or does not let us in at all. A server's own failure (5xx)
 * may have come after it took the message: `unknown`. All other refusals are for good.
 */
export function outcomeOfRefusal({ status, code, message, retryAfterMs }: ProviderRefusal): Outcome {
  const known = code === null ? undefined : textCodes[String(code)]
  const response = oneLine(code === null ? `HTTP ${status} ${message}` : `${code} ${message}`)
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
