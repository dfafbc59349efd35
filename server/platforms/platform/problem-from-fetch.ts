import type { StoreProblemCode } from '../../../shared/access/store-problems.ts'
import { FetchProblem, type FetchProblemKind } from '../../core/net/public.ts'
import { StoreProblem } from './store-problem.ts'

const FETCH_CODES: Readonly<Record<FetchProblemKind, StoreProblemCode>> = {
  timeout: 'timeout',
  aborted: 'timeout',
  certificate: 'certificate',
  refused: 'unreachable',
  connection_lost: 'unreachable',
  dns: 'unreachable',
  redirect_loop: 'redirect_loop',
  redirect_refused: 'moved',
  private_address: 'private_address',
  too_large: 'bad_answer',
  bad_url: 'unreachable',
}

export function toFetchProblem(error: unknown): StoreProblem {
  if (error instanceof StoreProblem) return error
  if (!(error instanceof FetchProblem)) throw error
  return new StoreProblem(FETCH_CODES[error.kind], error.detail)
}
