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

/** Waits for something outside, such as a shop's answer, while other jobs are taken up. Not twice at once. */
export type StepAside = <T>(wait: () => Promise<T>) => Promise<T>

/** For work that is not a job: nobody waits for its place. */
export const inPlace: StepAside = (wait) => wait()

/** More wait in their places. */
const MOST_ASIDE = 500

interface Waiting {
  /** In ms. Ahead of all with a later one. */
  rank: number
  enter: () => void
}

/** Each page is waited for aside. */
export async function* asideForPages<Page>(pages: AsyncIterable<Page>, stepAside: StepAside): AsyncGenerator<Page> {
  const reader = pages[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await stepAside(() => reader.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    await reader.return?.()
  }
}

/** The same client. Each answer, or page of one, is waited for aside. */
export function asideForAnswers<Client extends object>(client: Client, stepAside: StepAside): Client {
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        const answer = member.apply(target, args)
        return Symbol.asyncIterator in answer ? asideForPages(answer, stepAside) : stepAside(() => answer)
      }
    },
  })
}

export interface Takers {
  /** Until the work is done, or has stepped aside for the first time. The work never throws. */
  run(work: (stepAside: StepAside) => Promise<void>): Promise<void>
  /** Until everything that was begun is done. */
  settled(): Promise<void>
}

/**
 * So many jobs of one kind work at a time; a job that waits for something outside does not count meanwhile. A job that comes back enters
 * behind those that came as long after it as it was away: what a hanging shop held up for 20 s does not hold up the others when it ends.
 */
export function createTakers(count: number): Takers {
  const waiting: Waiting[] = []
  const running = new Set<Promise<void>>()
  let free = count
  let aside = 0

  async function enter(awayMs: number): Promise<void> {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push({ rank: performance.now() + awayMs, enter: resolve }))
  }

  function leave(): void {
    const next = waiting.reduce<Waiting | null>((best, each) => (best && best.rank <= each.rank ? best : each), null)
    if (!next) free += 1
    else waiting.splice(waiting.indexOf(next), 1)[0]!.enter()
  }

  async function waitAside<T>(wait: () => Promise<T>): Promise<T> {
    const since = performance.now()
    aside += 1
    leave()
    try {
      return await wait()
    } finally {
      aside -= 1
      await enter(performance.now() - since)
    }
  }

  return {
    async run(work) {
      await enter(0)
      const { promise: isAside, resolve } = Promise.withResolvers<void>()
      const stepAside: StepAside = (wait) => {
        if (aside >= MOST_ASIDE) return wait()
        resolve()
        return waitAside(wait)
      }
      const ended = work(stepAside).finally(leave)
      running.add(ended)
      void ended.finally(() => running.delete(ended))
      await Promise.race([ended, isAside])
    },
    async settled() {
      await Promise.all(running)
    },
  }
}
