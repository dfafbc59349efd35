import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '../api.ts'
import { sendMark } from './mark.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const failure = (status: number) => new ApiError(status, { error: 'x', code: status === 0 ? 'offline' : 'internal' })

/** When each attempt was made, in milliseconds from the first. */
async function attemptsOf(answer: (signal: AbortSignal, attempt: number) => Promise<unknown>) {
  const from = Date.now()
  const attempts: number[] = []
  const outcome = sendMark((signal) => {
    attempts.push(Date.now() - from)
    return answer(signal, attempts.length)
  })
  await vi.advanceTimersByTimeAsync(120_000)
  return { attempts, outcome: await outcome }
}

test('an answer that does not come is waited for 10 seconds, and asked for again after 1, 2 and 4 (A 8)', {
  tags: ['A8'],
}, async () => {
  const never = (signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const { attempts, outcome } = await attemptsOf(never)
  expect(attempts).toEqual([0, 11_000, 23_000, 37_000])
  expect(outcome).toBe('kept')
})

test('a network error is tried again after 1, 2 and 4 seconds, and no more than that (A 8)', {
  tags: ['A8'],
}, async () => {
  const { attempts, outcome } = await attemptsOf(() => Promise.reject(failure(0)))
  expect(attempts).toEqual([0, 1_000, 3_000, 7_000])
  expect(outcome).toBe('kept')
})

test('the first answer ends the trying', async () => {
  const { attempts, outcome } = await attemptsOf((_, attempt) =>
    attempt < 3 ? Promise.reject(failure(0)) : Promise.resolve({}),
  )
  expect(attempts).toEqual([0, 1_000, 3_000])
  expect(outcome).toBe('sent')
})

test.each([
  400, 403, 404, 409, 500, 503,
])('an answer of %d is not tried again; it is marked here anyway', async (status) => {
  const { attempts, outcome } = await attemptsOf(() => Promise.reject(failure(status)))
  expect(attempts).toEqual([0])
  expect(outcome).toBe('kept')
})

test('a 401 is not tried again, and nothing is marked', async () => {
  expect(await attemptsOf(() => Promise.reject(failure(401)))).toEqual({ attempts: [0], outcome: 'refused' })
})
