import { storeProblemMessage, typedProblemMessage } from '../../../shared/store-problems.ts'
import { AppError } from '../../core/common/errors.ts'
import { StoreProblem } from '../../platforms/platform/store-problem.ts'
import { errorCodeOf } from './rules.ts'

/** What a store did wrong, as the answer to a request: words its owner can act on (A 8). */
export function toAppError(problem: StoreProblem, words = storeProblemMessage): AppError {
  const retryAfterS = problem.code === 'rate_limited' ? Math.ceil((problem.retryAfterMs ?? 30_000) / 1_000) : undefined
  return new AppError(errorCodeOf[problem.code], words(problem.code, problem.detail), {
    cause: problem,
    ...(retryAfterS ? { retryAfterS } : {}),
  })
}

/** Asks a store by keys that somebody has just typed; what the store did wrong, and our own time limit, come out in words. */
export async function askByTypedKeys<T>(limitMs: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(limitMs)
  try {
    return await ask(signal)
  } catch (error) {
    if (error instanceof StoreProblem) throw toAppError(error, typedProblemMessage)
    if (signal.aborted) throw toAppError(new StoreProblem('timeout', null, { cause: error }))
    throw error
  }
}
