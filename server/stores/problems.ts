import { storeProblemMessage } from '../../shared/store-problems.ts'
import { AppError } from '../core/errors.ts'
import { StoreProblem } from '../platforms/store-problem.ts'
import { errorCodeOf } from './rules.ts'

/** What a store did wrong, as the answer to a request: words its owner can act on (A 8). */
export function toAppError(problem: StoreProblem): AppError {
  const retryAfterS = problem.code === 'rate_limited' ? Math.ceil((problem.retryAfterMs ?? 30_000) / 1_000) : undefined
  return new AppError(errorCodeOf[problem.code], storeProblemMessage(problem.code, problem.detail), {
    cause: problem,
    ...(retryAfterS ? { retryAfterS } : {}),
  })
}

/** Runs a question to a store; what the store did wrong, and our own time limit, come out in words. */
export async function askStore<T>(limitMs: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(limitMs)
  try {
    return await ask(signal)
  } catch (error) {
    if (error instanceof StoreProblem) throw toAppError(error)
    if (signal.aborted) throw toAppError(new StoreProblem('timeout', null, { cause: error }))
    throw error
  }
}
