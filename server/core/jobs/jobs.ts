import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { createWorkerSlots, type ReleaseSlot, type WorkerSlots } from '../common/public.ts'
import { type Db, listReadyQueues, type Tx } from '../db/public.ts'

export { type LookLease, openLookLease } from './look-lease.ts'

// The job queue: pg-boss with job contracts, handlers, and workers that notifications wake.

/** A job's contract: name and payload (ids only). worker.ts assigns the handlers. */
export interface Job<Payload extends z.ZodType = z.ZodType> {
  name: string
  payload: Payload
  /** `each`: no limit. `one`: at most one waiting job per key; the row's own lease keeps two from running together. */
  policy: 'each' | 'one'
  /**
   * At most one runs per process and store (`storeId` of the payload), so that a store holds at most one worker (D8).
   */
  isOnePerStore?: true
}

export function job<Payload extends z.ZodType>(
  name: string,
  payload: Payload,
  policy: Job['policy'] = 'each',
): Job<Payload> {
  return { name, payload, policy }
}

export const onePerStore = <P extends z.ZodType<{ storeId: string }>>(each: Job<P>): Job<P> => ({
  ...each,
  isOnePerStore: true,
})

export interface Handler {
  job: Job
  run: (deps: Deps, payload: unknown, releaseSlot: ReleaseSlot) => Promise<void>
}

export function on<P extends z.ZodType>(job: Job<P>, run: (deps: Deps, payload: z.infer<P>) => Promise<void>): Handler {
  return { job, run: (deps, payload) => run(deps, job.payload.parse(payload)) }
}

/** The queue counts a job as done once it releases its slot. Only for work that is woken again after a crash. */
export function onReleasingSlot<P extends z.ZodType>(
  job: Job<P>,
  run: (deps: Deps, payload: z.infer<P>, releaseSlot: ReleaseSlot) => Promise<void>,
): Handler {
  return { job, run: (deps, payload, releaseSlot) => run(deps, job.payload.parse(payload), releaseSlot) }
}

export interface Jobs {
  /**
   * Queues a job in the caller's transaction: the job exists exactly when the change does. It runs at once, or not
   * before `startAfter`.
   */
  enqueue<P extends z.ZodType>(
    db: Db | Tx,
    job: Job<P>,
    payload: z.infer<P>,
    key?: string,
    startAfter?: Date,
  ): Promise<void>
  /** Number of jobs in each queue. */
  queues(): Promise<QueueState[]>
}

export interface QueueState {
  name: string
  /** Ready to run. */
  ready: number
  active: number
  /** Scheduled for a later time. */
  later: number
  /** Failed for good within the last day. */
  failed: number
}

export interface JobQueue extends Jobs {
  /** Starts processing; `stop` waits for running jobs. */
  work(deps: Deps, handlers: Handler[]): Promise<void>
  stop(): Promise<void>
}

/**
 * pg-boss in the same database. Rows hold the state and jobs only wake the code: a lost job costs a second, not a
 * message.
 */
export async function startJobQueue(
  url: string,
  log: Logger,
  jobs: Job[],
  isWorker: boolean,
  connections = 6,
): Promise<JobQueue> {
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'recoup jobs',
    max: connections,
    ...CONNECTION,
    supervise: isWorker,
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    // Our jobs do not depend on each other.
    flowIntervalSeconds: 3_600,
  })
  boss.on('error', (error) => log.error({ err: error }, 'jobs.failed'))
  await boss.start()
  for (const each of jobs) await boss.createQueue(each.name, queueOptions(each))
  const working: WorkerSlots[] = []
  const waker = createWaker(boss, log)
  return {
    async enqueue(db, each, payload, key, startAfter) {
      await boss.send(each.name, payload as object, {
        db: fromKysely(db as never),
        ...(key ? { singletonKey: key } : {}),
        ...(startAfter ? { startAfter } : {}),
        ...(each.isOnePerStore ? { group: { id: (payload as { storeId: string }).storeId } } : {}),
      })
    },
    async queues() {
      const all = await boss.getQueues(jobs.map(({ name }) => name))
      return all.map((each) => ({
        name: each.name,
        ready: each.readyCount,
        active: each.activeCount,
        later: each.deferredCount,
        failed: each.failedCount,
      }))
    },
    async work(deps, handlers) {
      for (const handler of handlers) {
        const slots = createWorkerSlots(WORKERS)
        working.push(slots)
        const wakeOne = await startWorkers(boss, handler.job, (batch) => runAll(deps, handler, slots, batch))
        waker.add(handler.job.name, wakeOne)
      }
      await waker.start(deps.db)
    },
    async stop() {
      const releasedJobs = Promise.all([waker.stop(), ...working.map((slots) => slots.settled())])
      const limit = sleep(STOP_MS, undefined, { ref: false })
      await Promise.all([boss.stop({ graceful: true, timeout: STOP_MS }), Promise.race([releasedJobs, limit])])
    },
  }
}

/** For the pool of pg-boss: a query on a dead connection times out. */
const CONNECTION = { keepAlive: true, query_timeout: 30_000 }

/** Time limit for running jobs at shutdown. */
const STOP_MS = 8_000
/** Workers per kind of job. */
const WORKERS = 12

/** A dead process's job fails at most this long after its heartbeat expired (10 s), and is then retried. */
const SUPERVISE_SECONDS = 5

/** One job at a time per worker and several workers: a slow store delays its own worker only (D8). */
const workOptions = {
  batchSize: 1,
  perJobResults: true,
  includeMetadata: true,
  // Notifications wake the workers. Polling by some five hundred workers would be most of a quiet instance's queries.
  pollingIntervalSeconds: 600,
  heartbeatRefreshSeconds: 3,
} as const

function queueOptions(each: Job) {
  return {
    // Not `stately`: it caches the active keys, so that a freed key would wait for the cache.
    policy: each.policy === 'one' ? ('short' as const) : ('standard' as const),
    notify: true,
    retryLimit: 5,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 300,
    heartbeatSeconds: 10,
    expireInSeconds: 900,
    deleteAfterSeconds: 86_400,
  }
}

type Batch = JobWithMetadata<unknown>[]

/** pg-boss announces a new job on this channel, named after its schema. The payload is the queue's name. */
const CHANNEL = `pgboss_${createHash('sha224').update('pgboss').digest('hex').slice(0, 24)}`
/** Finds deferred jobs, retries, and jobs whose notification was missed. */
const POLL_EVERY_MS = 2_000
/** The query may have been sent on a dead connection. */
const POLL_TIMEOUT_MS = 5_000

interface Waker {
  add(queue: string, wakeOne: () => void): void
  start(db: Db): Promise<void>
  stop(): Promise<void>
}

/** Wakes one idle worker of a queue that has a job. pg-boss itself wakes all of them, and each queries the database. */
function createWaker(boss: PgBoss, log: Logger): Waker {
  const wakers = new Map<string, () => void>()
  const stopping = new AbortController()
  let listener: { close(): Promise<void> } | undefined
  let polling = Promise.resolve()
  const wake = (queue: string) => wakers.get(queue)?.()
  const wakeAll = () => {
    for (const queue of wakers.keys()) wake(queue)
  }
  /** Runs on every reconnect: notifications may have been missed. */
  const listen = async () => {
    listener = await boss
      .getDb()
      .listen?.(CHANNEL, wake, wakeAll)
      .catch((error: unknown) => {
        log.warn({ err: error }, 'jobs.listen_failed')
        return undefined
      })
  }
  const readReady = (db: Db) => {
    const late = sleep(POLL_TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new Error('the query for due jobs takes too long')
    })
    return Promise.race([listReadyQueues(db, [...wakers.keys()]), late])
  }
  const poll = async (db: Db) => {
    while (!stopping.signal.aborted) {
      await sleep(POLL_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      if (!listener) await listen()
      const ready = await readReady(db).catch((error: unknown) => {
        log.error({ err: error }, 'jobs.look_failed')
        return []
      })
      for (const queue of ready) wake(queue)
    }
  }
  return {
    add: (queue, wakeOne) => void wakers.set(queue, wakeOne),
    async start(db) {
      await listen()
      polling = poll(db)
    },
    async stop() {
      stopping.abort()
      await Promise.all([listener?.close(), polling])
    },
  }
}

/**
 * Returns a function that wakes one idle worker. A worker with a job wakes the next one, because one commit sends one
 * notification for all its jobs. After a job it fetches again at once.
 */
async function startWorkers(
  boss: PgBoss,
  { name, isOnePerStore }: Job,
  run: (batch: Batch) => ReturnType<typeof runAll>,
): Promise<() => void> {
  const ids: string[] = []
  const busy = new Set<string>()
  const wakeOne = () => {
    const at = ids.findIndex((each) => !busy.has(each))
    if (at < 0) return
    // Rotate: a worker whose query hangs must not be chosen each time.
    const [idle] = ids.splice(at, 1) as [string]
    ids.push(idle)
    boss.notifyWorker(idle)
  }
  const options = isOnePerStore ? { ...workOptions, localGroupConcurrency: 1 } : workOptions
  for (let n = 0; n < WORKERS; n++) {
    let id = ''
    id = await boss.work(name, options, (batch: Batch) => {
      busy.add(id)
      wakeOne()
      return run(batch).finally(() => {
        busy.delete(id)
        boss.notifyWorker(id)
      })
    })
    ids.push(id)
  }
  return wakeOne
}

async function runAll(deps: Deps, handler: Handler, slots: WorkerSlots, batch: Batch) {
  return Promise.all(
    batch.map(async (each) => {
      let failure: unknown
      await slots.run(async (releaseSlot) => {
        try {
          await handler.run(deps, each.data, releaseSlot)
        } catch (error) {
          failure = error
          deps.log.error({ err: error, job: handler.job.name, jobId: each.id, retry: each.retryCount }, 'job.failed')
        }
      })
      if (failure === undefined) return { id: each.id, status: 'completed' as const }
      return { id: each.id, status: 'failed' as const, output: { message: String(failure) } }
    }),
  )
}
