import { AppError } from './errors.ts'

const MOST_WAITING = 500

/**
 * At most so many at a time, the others in their order: what people ask for leaves connections and time for what is being sent. Whose
 * signal ends gives its place in the line away.
 */
export function createSeats(count: number): <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = count
  const wait = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(sit), 1)
        reject(gone())
      }
      const sit = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      signal?.addEventListener('abort', leave, { once: true })
      waiting.push(sit)
    })
  return async (work, signal) => {
    if (signal?.aborted) throw gone()
    if (waiting.length >= MOST_WAITING) {
      throw new AppError('unavailable', 'There are too many requests for this right now. Please try again in a moment.')
    }
    if (free > 0) free -= 1
    else await wait(signal)
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}

const gone = () => new AppError('unavailable', 'Whoever asked for this has gone.')
