import { ApiError } from '../api.ts'
import { getRetryDelayMs, MARK_TIMEOUT_MS, MOST_RETRIES } from './order.ts'

// Sends a read mark to the server (A 8).

class TimedOut extends Error {}

/** `kept`: not sent, but marked here. `refused`: this session lacks permission. */
export type MarkResult = 'sent' | 'kept' | 'refused'

/** Sends it and retries after timeouts and network errors; other errors are final. */
export async function sendMark(send: (signal: AbortSignal) => Promise<unknown>): Promise<MarkResult> {
  for (let retry = 0; ; retry += 1) {
    try {
      await sendWithTimeout(send)
      return 'sent'
    } catch (error) {
      if (isLost(error) && retry < MOST_RETRIES)
        await new Promise((resolve) => setTimeout(resolve, getRetryDelayMs(retry)))
      else return error instanceof ApiError && error.status === 401 ? 'refused' : 'kept'
    }
  }
}

async function sendWithTimeout(send: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const control = new AbortController()
  const timer = setTimeout(() => control.abort(new TimedOut()), MARK_TIMEOUT_MS)
  try {
    await send(control.signal)
  } finally {
    clearTimeout(timer)
  }
}

const isLost = (error: unknown) => error instanceof TimedOut || (error instanceof ApiError && error.status === 0)
