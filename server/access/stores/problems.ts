import { getTypedProblemMessage, storeProblemMessage } from '../../../shared/access/store-problems.ts'
import { AppError } from '../../core/common/public.ts'
import { StoreProblem } from '../../platforms/platform/public.ts'
import { errorCodeOf } from './rules.ts'

/** Turns a store's problem into a request error, with a text the owner can act on (A 8). */
export function toAppError(problem: StoreProblem, message = storeProblemMessage): AppError {
  const retryAfterS = problem.code === 'rate_limited' ? Math.ceil((problem.retryAfterMs ?? 30_000) / 1_000) : undefined
  return new AppError(errorCodeOf[problem.code], message(problem.code, problem.detail), {
    cause: problem,
    ...(retryAfterS ? { retryAfterS } : {}),
  })
}

/** Calls a store with newly typed keys. Explains the store's problems and our time limit. */
export async function callWithTypedKeys<T>(limitMs: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(limitMs)
  try {
    return await ask(signal)
  } catch (error) {
    if (error instanceof StoreProblem) throw toAppError(error, getTypedProblemMessage)
    if (signal.aborted) throw toAppError(new StoreProblem('timeout', null, { cause: error }))
    throw error
  }
}
