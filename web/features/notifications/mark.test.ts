import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '../../core/api/api.ts'
import { sendMark } from './marking.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const failure = (status: number) => new ApiError(status, { error: 'x', code: status === 0 ? 'offline' : 'internal' })

/** Time of each attempt, in milliseconds from the first. */
async function recordAttempts(answer: (signal: AbortSignal, attempt: number) => Promise<unknown>) {
  const from = Date.now()
  const attempts: number[] = []
  const outcome = sendMark((signal) => {
    attempts.push(Date.now() - from)
    return answer(signal, attempts.length)
  })
  await vi.advanceTimersByTimeAsync(120_000)
  return { attempts, outcome: await outcome }
}

test('waits 10 seconds for an answer and retries after 1, 2 and 4 (A 8)', {
  tags: ['A8'],
}, async () => {
  const waitForAbort = (signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const { attempts, outcome } = await recordAttempts(waitForAbort)
  expect(attempts).toEqual([0, 11_000, 23_000, 37_000])
  expect(outcome).toBe('kept')
})

test('retries a network error after 1, 2 and 4 seconds and then stops (A 8)', {
  tags: ['A8'],
}, async () => {
  const { attempts, outcome } = await recordAttempts(() => Promise.reject(failure(0)))
  expect(attempts).toEqual([0, 1_000, 3_000, 7_000])
  expect(outcome).toBe('kept')
})

test('stops at the first answer', async () => {
  const { attempts, outcome } = await recordAttempts((_, attempt) =>
    attempt < 3 ? Promise.reject(failure(0)) : Promise.resolve({}),
  )
  expect(attempts).toEqual([0, 1_000, 3_000])
  expect(outcome).toBe('sent')
})

test.each([400, 403, 404, 409, 500, 503])('does not retry after a %d but keeps the mark here', async (status) => {
  const { attempts, outcome } = await recordAttempts(() => Promise.reject(failure(status)))
  expect(attempts).toEqual([0])
  expect(outcome).toBe('kept')
})

test('does not retry after a 401 and marks nothing', async () => {
  expect(await recordAttempts(() => Promise.reject(failure(401)))).toEqual({ attempts: [0], outcome: 'refused' })
})
