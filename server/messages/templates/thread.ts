import crypto from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import { AppError } from '../../core/common/public.ts'
import { TemplateError } from './context.ts'
import type { RenderAnswer, RenderJob } from './job.ts'

// Compiles and renders owners' texts in a thread. A text that takes too long kills the thread, not the process. Queued
// jobs continue in a new thread.

export interface ThreadOptions {
  /** CPU time limit of one job. Waiting on a busy machine does not count. */
  limitMs: number
  /** Number of threads that one job may kill before it is refused. */
  attempts: number
  /** Longest wait before the caller is told to retry; null: unlimited. */
  patienceMs: number | null
  /** Added to the process's niceness, so that requests and sending have priority. Linux only. */
  niceness?: number
  /** Replaces the thread's program in tests. */
  program?: URL
}

interface Task {
  id: number
  group: string
  job: RenderJob
  since: number
  ended: number
  resolve: (answer: RenderAnswer) => void
  reject: (error: Error) => void
}

/** Number of jobs sent ahead, so that the thread need not wait for us between two. */
const MAX_AHEAD = 8
const MAX_WAITING = 5_000
const CHECK_EVERY_MS = 200
/** A thread that has not started a job after this time is stuck. */
const STUCK_MS = 60_000
const MAX_FAILED_STARTS = 3
const MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 }

export class RenderThread {
  readonly #options: ThreadOptions
  readonly #refused: RefusedTexts
  /** One queue per group, served round-robin: a thousand jobs of one account do not block others. */
  readonly #queues = new Map<string, Task[]>()
  #posted: Task[] = []
  #again: Task[] = []
  #worker: Worker | null = null
  #isReady = false
  #failedStarts = 0
  #lastId = 0
  #watch: NodeJS.Timeout | null = null

  constructor(options: ThreadOptions, refused = new RefusedTexts()) {
    this.#options = options
    this.#refused = refused
  }

  /** Throws a TemplateError for a text that takes too long, and an AppError when the queue is full. */
  run(job: RenderJob, group: string): Promise<RenderAnswer> {
    if (this.#refused.has(job)) return Promise.reject(tooSlowError())
    const queue = this.#queues.get(group) ?? []
    if (this.#options.patienceMs !== null && queue.length >= MAX_WAITING) return Promise.reject(queueFullError())
    return new Promise((resolve, reject) => {
      queue.push({ id: ++this.#lastId, group, job, since: performance.now(), ended: 0, resolve, reject })
      this.#queues.set(group, queue)
      this.#pump()
    })
  }

  async close(): Promise<void> {
    await this.#drop()
    this.#rejectAll(unavailableError())
  }

  #pump(): void {
    if (this.#posted.length < MAX_AHEAD && this.#hasWaiting()) {
      if (!this.#worker) this.#start()
      while (this.#isReady && this.#posted.length < MAX_AHEAD) {
        const task = this.#next()
        if (!task) break
        this.#posted.push(task)
        this.#worker!.postMessage({ id: task.id, job: task.job })
      }
    }
    this.#keepAlive()
  }

  #hasWaiting = () => this.#again.length > 0 || this.#queues.size > 0

  #next(): Task | undefined {
    for (;;) {
      const task = this.#again.shift() ?? this.#takeInTurn()
      if (!task) return undefined
      const { patienceMs } = this.#options
      const isLate = patienceMs !== null && performance.now() - task.since > patienceMs
      if (isLate) task.reject(queueFullError())
      else if (this.#refused.has(task.job)) task.reject(tooSlowError())
      else return task
    }
  }

  /** The first job of the next group, which then moves to the end. */
  #takeInTurn(): Task | undefined {
    const [first] = this.#queues
    if (!first) return undefined
    const [group, queue] = first
    const task = queue.shift()
    this.#queues.delete(group)
    if (queue.length > 0) this.#queues.set(group, queue)
    return task
  }

  #start(): void {
    const worker = new Worker(this.#options.program ?? new URL('./thread-main.ts', import.meta.url), {
      resourceLimits: MEMORY,
      workerData: { niceness: this.#options.niceness ?? 0 },
      name: 'templates',
    })
    this.#worker = worker
    this.#isReady = false
    const ifCurrent = (work: () => void) => () => (this.#worker === worker ? work() : undefined)
    worker.on('message', (reply: 'ready' | { id: number; answer: RenderAnswer }) => {
      if (this.#worker === worker) this.#hear(reply)
    })
    worker.on(
      'error',
      ifCurrent(() => this.#lose()),
    )
    worker.on(
      'exit',
      ifCurrent(() => this.#lose()),
    )
  }

  #hear(reply: 'ready' | { id: number; answer: RenderAnswer }): void {
    if (reply === 'ready') {
      this.#isReady = true
      this.#failedStarts = 0
    } else {
      const at = this.#posted.findIndex(({ id }) => id === reply.id)
      if (at >= 0) this.#posted.splice(at, 1)[0]!.resolve(reply.answer)
    }
    this.#pump()
  }

  /** The thread ended, killed or by itself (out of memory), because of its current job. */
  #lose(): void {
    const wasReady = this.#isReady
    void this.#drop()
    const [guilty, ...others] = this.#posted
    this.#posted = []
    this.#again.unshift(...others)
    if (guilty) this.#blame(guilty)
    if (!wasReady && ++this.#failedStarts >= MAX_FAILED_STARTS) {
      this.#failedStarts = 0
      this.#rejectAll(unavailableError())
    }
    this.#pump()
  }

  #blame(task: Task): void {
    task.ended += 1
    if (task.ended < this.#options.attempts) {
      this.#again.push(task)
      return
    }
    this.#refused.add(task.job)
    task.reject(tooSlowError())
  }

  async #drop(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    this.#isReady = false
    await worker?.terminate()
  }

  #rejectAll(error: Error): void {
    const tasks = [...this.#posted, ...this.#again, ...[...this.#queues.values()].flat()]
    this.#posted = []
    this.#again = []
    this.#queues.clear()
    for (const task of tasks) task.reject(error)
    this.#keepAlive()
  }

  /** The thread keeps the process alive only while a caller waits for it. */
  #keepAlive(): void {
    const isBusy = this.#posted.length > 0 || this.#hasWaiting()
    if (isBusy) this.#worker?.ref()
    else this.#worker?.unref()
    if (isBusy)
      this.#watch ??= setInterval(
        createWatcher(() => this.#look()),
        CHECK_EVERY_MS,
      )
    else if (this.#watch) {
      clearInterval(this.#watch)
      this.#watch = null
    }
  }

  #seen: { id: number; since: number; cpuMs: number } | null = null

  /** Kills the thread when its current job exceeds its time. */
  async #look(): Promise<void> {
    const worker = this.#worker
    const current = this.#posted[0]
    if (!worker || !this.#isReady || !current) return
    const { user, system } = await worker.cpuUsage()
    if (this.#worker !== worker || this.#posted[0] !== current) return
    const cpuMs = (user + system) / 1_000
    if (this.#seen?.id !== current.id) this.#seen = { id: current.id, since: performance.now(), cpuMs }
    const { since, cpuMs: before } = this.#seen
    if (cpuMs - before > this.#options.limitMs || performance.now() - since > STUCK_MS) this.#lose()
  }
}

/** Runs one check at a time. A failed check (the thread has just ended) is ignored. */
function createWatcher(check: () => Promise<void>): () => void {
  let isLooking = false
  return () => {
    if (isLooking) return
    isLooking = true
    void check()
      .catch(() => {})
      .finally(() => {
        isLooking = false
      })
  }
}

const REFUSED_MS = 600_000
const MAX_REFUSED = 1_000

/** Texts that killed their threads, so that a thousand messages with the same text are not tried one by one. */
export class RefusedTexts {
  readonly #keys = new LRUCache<string, true>({ max: MAX_REFUSED, ttl: REFUSED_MS })

  add(job: RenderJob): void {
    this.#keys.set(textKey(job), true)
  }

  has(job: RenderJob): boolean {
    return this.#keys.size > 0 && this.#keys.has(textKey(job))
  }
}

const textKey = (job: RenderJob): string => crypto.hash('sha256', JSON.stringify(listTexts(job)))

function listTexts(job: RenderJob): unknown[] {
  switch (job.kind) {
    case 'legacy':
      return [job.sources]
    case 'text':
      return [job.source.body]
    case 'check':
      return [job.subject, job.body, job.design]
    case 'checkText':
      return [job.body]
  }
}

const tooSlowError = () =>
  new TemplateError('too_slow', 'The message takes too long to render. Please simplify its text.')

const queueFullError = () =>
  new AppError('unavailable', 'Many messages are being rendered right now. Please try again in a moment.')

const unavailableError = () =>
  new AppError('unavailable', 'Messages cannot be rendered right now. Please try again in a minute.')
