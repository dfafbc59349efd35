import { StoreProblem } from './store-problem.ts'

/** Runs a request after the earlier ones. An aborted signal rejects at once, and its request is never sent. */
export type InTurn = <T>(request: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Serialises requests per store. A queue exists as long as a request waits in it. */
export function createTurns(): (store: string) => InTurn {
  const lines = new Map<string, Promise<unknown>>()
  return (store) => (request, signal) => {
    const turn = Promise.resolve(lines.get(store)).then(() => {
      if (signal?.aborted) throw gaveUp()
      return request()
    })
    const line: Promise<void> = turn.then(leave, leave)
    function leave() {
      if (lines.get(store) === line) lines.delete(store)
    }
    lines.set(store, line)
    return signal ? orGivenUp(turn, signal) : turn
  }
}

async function orGivenUp<T>(turn: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: end, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(gaveUp())
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([turn, end])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

const gaveUp = () => new StoreProblem('timeout', 'stopped')
