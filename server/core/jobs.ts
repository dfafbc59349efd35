import { setTimeout as sleep } from 'node:timers/promises'
import { fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Deps } from '../deps.ts'
import type { Db, Tx } from './db.ts'
import { createTakers, type StepAside, type Takers } from './seats.ts'

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
    supervise: isWorker,
    schedule: false,
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
    useListenNotify: isWorker,
  })
  boss.on('error', (error) => log.error({ err: error }, 'jobs.failed'))
  await boss.start()
  for (const each of jobs) await boss.createQueue(each.name, queueOptions(each))
  const working: Takers[] = []
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
        await startTakers(boss, handler.job, (batch) => runAll(deps, handler, takers, batch))
      }
    },
    async stop() {
      const aside = Promise.all(working.map((takers) => takers.settled()))
      const limit = sleep(STOP_MS, undefined, { ref: false })
      await Promise.all([boss.stop({ graceful: true, timeout: STOP_MS }), Promise.race([aside, limit])])
    },
  }
}

/** What is running has so long to end when the process stops. */
const STOP_MS = 8_000
/** Of each kind of job. */
const TAKERS = 12

/** One job at a time per taker and several takers: a store that answers slowly holds up its own taker only (D8). */
const workOptions = {
  batchSize: 1,
  perJobResults: true,
  includeMetadata: true,
  pollingIntervalSeconds: 2,
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

/** After a job a taker looks for the next one at once. By itself it would wait half a minute for a notification, however many jobs were queued. */
async function startTakers(
  boss: PgBoss,
  { name, isOnePerStore }: Job,
  run: (batch: Batch) => ReturnType<typeof runAll>,
): Promise<void> {
  const ids: string[] = []
  const busy = new Set<string>()
  const options = isOnePerStore ? { ...workOptions, localGroupConcurrency: 1 } : workOptions
  for (let n = 0; n < TAKERS; n++) {
    let id = ''
    id = await boss.work(name, options, (batch: Batch) => {
      busy.add(id)
      // One that put a job of this store back sleeps, though jobs of other stores may wait: each that has found one wakes another.
      const idle = isOnePerStore && ids.find((each) => !busy.has(each))
      if (idle) boss.notifyWorker(idle)
      return run(batch).finally(() => {
        busy.delete(id)
        boss.notifyWorker(id)
      })
    })
    ids.push(id)
  }
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
