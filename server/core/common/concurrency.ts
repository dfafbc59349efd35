import PQueue from 'p-queue'
import { AppError } from './errors.ts'

// Concurrency limits: a semaphore for requests, and worker slots that a job releases while it waits.

const MAX_WAITING = 500

/**
 * Limits concurrency, first in first out. Requests of users then leave connections and time for sending. An aborted
 * signal removes its entry from the queue; work that has begun keeps its place until it ends.
 */
export function createSemaphore(count: number): <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  const queue = new PQueue({ concurrency: count })
  return async (work, signal) => {
    if (signal?.aborted) throw requestAborted()
    if (queue.size >= MAX_WAITING) {
      throw new AppError('unavailable', 'Too many requests right now. Please try again in a moment.')
    }
    const waiting = new AbortController()
    const cancel = () => waiting.abort(requestAborted())
    signal?.addEventListener('abort', cancel, { once: true })
    const begin = () => {
      signal?.removeEventListener('abort', cancel)
      return work()
    }
    return queue.add(begin, { signal: waiting.signal })
  }
}

const requestAborted = () => new AppError('unavailable', 'The client closed the connection.')

/** Releases the job's slot while it waits for an external service, such as a shop's response. Do not nest. */
export type ReleaseSlot = <T>(wait: () => Promise<T>) => Promise<T>

/** For work outside the job queue, which holds no slot. */
export const keepSlot: ReleaseSlot = (wait) => wait()

/** Jobs beyond this number keep their slots while they wait. */
const MAX_RELEASED = 500

interface QueuedJob {
  /** Priority in ms; smaller values run first. */
  rank: number
  enter: () => void
}

/** Releases the slot while waiting for each page. */
export async function* releaseForPages<Page>(
  pages: AsyncIterable<Page>,
  releaseSlot: ReleaseSlot,
): AsyncGenerator<Page> {
  const reader = pages[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await releaseSlot(() => reader.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    await reader.return?.()
  }
}

/** Wraps a client so that each response, or each of its pages, is awaited without a slot. */
export function releaseForAnswers<Client extends object>(client: Client, releaseSlot: ReleaseSlot): Client {
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        const answer = member.apply(target, args)
        return Symbol.asyncIterator in answer ? releaseForPages(answer, releaseSlot) : releaseSlot(() => answer)
      }
    },
  })
}

export interface WorkerSlots {
  /** Resolves when the work is done or first releases its slot. `work` must not throw. */
  run(work: (releaseSlot: ReleaseSlot) => Promise<void>): Promise<void>
  /** Resolves when all started work is done. */
  settled(): Promise<void>
}

/**
 * Runs at most `count` jobs of one kind; a job that waits for an external service does not count. A job that was away
 * for some time resumes behind jobs that have waited as long. Jobs delayed 20 s by a hanging shop therefore do not
 * delay the others.
 */
export function createWorkerSlots(count: number): WorkerSlots {
  const waiting: QueuedJob[] = []
  const running = new Set<Promise<void>>()
  let free = count
  let releasedCount = 0

  async function acquire(awayMs: number): Promise<void> {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push({ rank: performance.now() + awayMs, enter: resolve }))
  }

  function release(): void {
    const next = waiting.reduce<QueuedJob | null>((best, each) => (best && best.rank <= each.rank ? best : each), null)
    if (!next) free += 1
    else waiting.splice(waiting.indexOf(next), 1)[0]!.enter()
  }

  async function waitWithoutSlot<T>(wait: () => Promise<T>): Promise<T> {
    const since = performance.now()
    releasedCount += 1
    release()
    try {
      return await wait()
    } finally {
      releasedCount -= 1
      await acquire(performance.now() - since)
    }
  }

  return {
    async run(work) {
      await acquire(0)
      const { promise: firstRelease, resolve } = Promise.withResolvers<void>()
      const releaseSlot: ReleaseSlot = (wait) => {
        if (releasedCount >= MAX_RELEASED) return wait()
        resolve()
        return waitWithoutSlot(wait)
      }
      const ended = work(releaseSlot).finally(release)
      running.add(ended)
      void ended.finally(() => running.delete(ended))
      await Promise.race([ended, firstRelease])
    },
    async settled() {
      await Promise.all(running)
    },
  }
}
