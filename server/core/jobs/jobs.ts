import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Deps } from '../../deps.ts'
import type { Db, Tx } from '../db/db.ts'
import { createTakers, type StepAside, type Takers } from '../common/seats.ts'
import { readyQueues } from '../db/system.ts'

/** A job's contract: its name and what it carries (ids only). Who runs it is written in worker.ts. */
export interface Job<Payload extends z.ZodType = z.ZodType> {
  name: string
  payload: Payload
  /** `each`: as many as are queued. `one`: per key at most one waiting; that one runs at a time is for the row's own lease. */
  policy: 'each' | 'one'
  /** At most one runs in a process for each store (`storeId` of its payload), so that a store holds one taker and no more (D8). */
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
  run: (deps: Deps, payload: unknown, stepAside: StepAside) => Promise<void>
}

export function on<P extends z.ZodType>(job: Job<P>, run: (deps: Deps, payload: z.infer<P>) => Promise<void>): Handler {
  return { job, run: (deps, payload) => run(deps, job.payload.parse(payload)) }
}

/** Once it has stepped aside the queue counts it as done: only for what is woken again when it was lost. */
export function onSteppingAside<P extends z.ZodType>(
  job: Job<P>,
  run: (deps: Deps, payload: z.infer<P>, stepAside: StepAside) => Promise<void>,
): Handler {
  return { job, run: (deps, payload, stepAside) => run(deps, job.payload.parse(payload), stepAside) }
}

export interface Jobs {
  /** Queues a job in the caller's transaction: the job exists if, and only if, the change does. It runs at once, or not before `startAfter`. */
  enqueue<P extends z.ZodType>(
    db: Db | Tx,
    job: Job<P>,
    payload: z.infer<P>,
    key?: string,
    startAfter?: Date,
  ): Promise<void>
  /** How much waits in each queue. */
  queues(): Promise<QueueState[]>
}

export interface QueueState {
  name: string
  /** To be taken up at once. */
  ready: number
  active: number
  /** To be taken up at a time that was named. */
  later: number
  /** Given up within the last day. */
  failed: number
}

export interface JobQueue extends Jobs {
  /** Takes up work; `stop` waits for what is running. */
  work(deps: Deps, handlers: Handler[]): Promise<void>
  stop(): Promise<void>
}

/** pg-boss in the same database. Rows are the truth, jobs only wake-ups: losing one costs a second, not a message. */
export async function startJobQueue(url: string, log: Logger, jobs: Job[], isWorker: boolean): Promise<JobQueue> {
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'recoup jobs',
    max: 6,
    ...CONNECTION,
    supervise: isWorker,
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    // No job of ours depends on another.
    flowIntervalSeconds: 3_600,
  })
  boss.on('error', (error) => log.error({ err: error }, 'jobs.failed'))
  await boss.start()
  for (const each of jobs) await boss.createQueue(each.name, queueOptions(each))
  const working: Takers[] = []
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
        ...{ name: each.name, ready: each.readyCount, active: each.activeCount },
        ...{ later: each.deferredCount, failed: each.failedCount },
      }))
    },
    async work(deps, handlers) {
      for (const handler of handlers) {
        const takers = createTakers(TAKERS)
        working.push(takers)
        const wakeOne = await startTakers(boss, handler.job, (batch) => runAll(deps, handler, takers, batch))
        waker.add(handler.job.name, wakeOne)
      }
      await waker.start(deps.db)
    },
    async stop() {
      const aside = Promise.all([waker.stop(), ...working.map((takers) => takers.settled())])
      const limit = sleep(STOP_MS, undefined, { ref: false })
      await Promise.all([boss.stop({ graceful: true, timeout: STOP_MS }), Promise.race([aside, limit])])
    },
  }
}

/** Of the pool of pg-boss: a query on a dead connection ends. */
const CONNECTION = { keepAlive: true, query_timeout: 30_000 }

/** What is running has so long to end when the process stops. */
const STOP_MS = 8_000
/** Of each kind of job. */
const TAKERS = 12

/** A job of a dead process fails at most this long after its heartbeat has expired (10 s), and is then tried again. */
const SUPERVISE_SECONDS = 5

/** One job at a time per taker and several takers: a store that answers slowly holds up its own taker only (D8). */
const workOptions = {
  batchSize: 1,
  perJobResults: true,
  includeMetadata: true,
  // They are woken. Polling by some five hundred takers would be most of what a quiet instance asks the database.
  pollingIntervalSeconds: 600,
  heartbeatRefreshSeconds: 3,
} as const

function queueOptions(each: Job) {
  return {
    // Not `stately`: its list of keys at work is cached, and a key that became free would wait for the cache.
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

/** pg-boss announces a new job by the name of its queue on this channel, which it names after its schema. */
const CHANNEL = `pgboss_${createHash('sha224').update('pgboss').digest('hex').slice(0, 24)}`
/** Finds deferred jobs, retries, and jobs whose notification was missed. */
const LOOK_EVERY_MS = 2_000
/** The look may have been sent on a dead connection. */
const LOOK_TIMEOUT_MS = 5_000

interface Waker {
  add(queue: string, wakeOne: () => void): void
  start(db: Db): Promise<void>
  stop(): Promise<void>
}

/** Wakes one idle taker of a queue that has a job. pg-boss itself wakes all of them, and each asks the database. */
function createWaker(boss: PgBoss, log: Logger): Waker {
  const wakers = new Map<string, () => void>()
  const stopping = new AbortController()
  let listener: { close(): Promise<void> } | undefined
  let polling = Promise.resolve()
  const wake = (queue: string) => wakers.get(queue)?.()
  const wakeAll = () => {
    for (const queue of wakers.keys()) wake(queue)
  }
  /** On every connection: earlier notifications were missed. */
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
    const late = sleep(LOOK_TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new Error('the query for due jobs takes too long')
    })
    return Promise.race([readyQueues(db, [...wakers.keys()]), late])
  }
  const poll = async (db: Db) => {
    while (!stopping.signal.aborted) {
      await sleep(LOOK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {})
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
 * Returns a function that wakes one idle taker. A taker that got a job wakes the next one, because one commit sends one notification for all its
 * jobs. After a job it looks for another at once.
 */
async function startTakers(
  boss: PgBoss,
  { name, isOnePerStore }: Job,
  run: (batch: Batch) => ReturnType<typeof runAll>,
): Promise<() => void> {
  const ids: string[] = []
  const busy = new Set<string>()
  const wakeOne = () => {
    const at = ids.findIndex((each) => !busy.has(each))
    if (at < 0) return
    // Wake them in turn: a taker whose query hangs must not be chosen each time.
    const [idle] = ids.splice(at, 1) as [string]
    ids.push(idle)
    boss.notifyWorker(idle)
  }
  const options = isOnePerStore ? { ...workOptions, localGroupConcurrency: 1 } : workOptions
  for (let n = 0; n < TAKERS; n++) {
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

async function runAll(deps: Deps, handler: Handler, takers: Takers, batch: Batch) {
  return Promise.all(
    batch.map(async (each) => {
      let failure: unknown
      await takers.run(async (stepAside) => {
        try {
          await handler.run(deps, each.data, stepAside)
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
