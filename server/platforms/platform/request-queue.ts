import { StoreProblem } from './store-problem.ts'

/** Runs a request after the earlier ones. An aborted signal rejects at once, and its request is never sent. */
export type Enqueue = <T>(request: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Serialises requests per store. A queue exists as long as a request waits in it. */
export function createRequestQueues(): (store: string) => Enqueue {
  const lines = new Map<string, Promise<unknown>>()
  return (store) => (request, signal) => {
    const run = Promise.resolve(lines.get(store)).then(() => {
      if (signal?.aborted) throw abortedProblem()
      return request()
    })
    const line: Promise<void> = run.then(release, release)
    function release() {
      if (lines.get(store) === line) lines.delete(store)
    }
    lines.set(store, line)
    return signal ? rejectOnAbort(run, signal) : run
  }
}

async function rejectOnAbort<T>(run: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: end, reject } = Promise.withResolvers<never>()
  const abort = () => reject(abortedProblem())
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([run, end])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

const abortedProblem = () => new StoreProblem('timeout', 'stopped')
