import type { Db, Tx } from '../server/core/db/db.ts'
import type { Job, Jobs } from '../server/core/jobs/jobs.ts'

// A job queue in memory. As in the real queue, a job exists if and only if its transaction commits, and at most one job
// per key waits.

export interface QueuedJob {
  name: string
  payload: unknown
  key: string | undefined
  startAfter: Date | undefined
}

/** Jobs that each open transaction will queue. */
const held = new WeakMap<object, QueuedJob[]>()

export function createTestJobs(queued: QueuedJob[]): Jobs {
  return {
    async enqueue(db: Db | Tx, { name }: Job, payload: unknown, key?: string, startAfter?: Date) {
      const job = { name, payload, key, startAfter }
      const waiting = held.get(db)
      if (waiting) waiting.push(job)
      else add(queued, job)
    },
    async queues() {
      const names = [...new Set(queued.map(({ name }) => name))]
      return names.map((name) => ({
        name,
        active: 0,
        later: 0,
        failed: 0,
        ready: queued.filter((each) => each.name === name).length,
      }))
    },
  }
}

function add(queued: QueuedJob[], job: QueuedJob): void {
  const isThere = ({ name, key }: QueuedJob) => key !== undefined && name === job.name && key === job.key
  if (!queued.some(isThere)) queued.push(job)
}

type Builder = ReturnType<Db['transaction']>

/** Wraps a database: jobs of its transactions are queued when they commit. */
export function trackCommits(db: Db, queued: QueuedJob[]): Db {
  const begin = db.transaction.bind(db)
  db.transaction = () => wrapBuilder(begin(), queued)
  return db
}

function wrapBuilder(builder: Builder, queued: QueuedJob[]): Builder {
  return new Proxy(builder, {
    get(target, name) {
      if (name === 'setIsolationLevel')
        return (level: Parameters<Builder['setIsolationLevel']>[0]) =>
          wrapBuilder(target.setIsolationLevel(level), queued)
      if (name !== 'execute') return Reflect.get(target, name)
      return async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
        const jobs: QueuedJob[] = []
        const result = await target.execute((tx) => {
          held.set(tx, jobs)
          return work(tx)
        })
        for (const job of jobs) add(queued, job)
        return result
      }
    },
  })
}
