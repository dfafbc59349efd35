import { ApiError } from '../api.ts'
import { MARK_TIMEOUT_MS, MOST_RETRIES, retryDelayMs } from './order.ts'

// How a mark reaches the server, or does not (A 8).

class TimedOut extends Error {}

/** `kept`: not sent, and marked here anyway. `refused`: this session may not. */
export type Marked = 'sent' | 'kept' | 'refused'

/** Sends it, and again after a time-out or a network error; all else is final. */
export async function sendMark(send: (signal: AbortSignal) => Promise<unknown>): Promise<Marked> {
  for (let retry = 0; ; retry += 1) {
    try {
      await inTime(send)
      return 'sent'
    } catch (error) {
      if (isLost(error) && retry < MOST_RETRIES)
        await new Promise((resolve) => setTimeout(resolve, retryDelayMs(retry)))
      else return error instanceof ApiError && error.status === 401 ? 'refused' : 'kept'
    }
  }
}

async function inTime(send: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const control = new AbortController()
  const timer = setTimeout(() => control.abort(new TimedOut()), MARK_TIMEOUT_MS)
  try {
    await send(control.signal)
  } finally {
    clearTimeout(timer)
  }
}

const isLost = (error: unknown) => error instanceof TimedOut || (error instanceof ApiError && error.status === 0)
