import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import type { Databases } from './databases.ts'
import type { PlayReport, PlayRequest } from './worker.ts'

// Distributes scenarios over processes, each with a database of its own.

export interface WorkerPlan {
  databases: Databases
  workers: number
  /** The next seeds to play; ends when there are none. */
  seeds: Iterator<number>
  isShrunk: boolean
  /** Seeds given to a process at once. */
  atOnce?: number
  /** Mutates the engine on loading (see mutations.ts). */
  mutation?: string
  onReport: (report: PlayReport) => void
  /** Nothing else uses the machine: each process gets a core. */
  isAlone?: boolean
  /** Called when a process ended or hung; another one replaces it. Without this, the run fails. */
  onLost?: (message: string) => void
  /** Checked after a report: stops giving out seeds. */
  isEnough?: () => boolean
}

const AT_ONCE = 10
/** No scenario takes that long, not even with shrinking. */
const SILENCE_MS = 10 * 60_000
const MAIN = path.join(import.meta.dirname, 'main.ts')

export async function runWorkers(plan: WorkerPlan): Promise<void> {
  await Promise.all(Array.from({ length: plan.workers }, (_, index) => runOne(plan, index)))
}

async function runOne(plan: WorkerPlan, index: number): Promise<void> {
  const database = await plan.databases.database()
  for (;;) {
    const message = await playUntilEnd(plan, fork(MAIN, ['worker'], buildForkOptions(plan, index, database)))
    if (message === null) return
    if (!plan.onLost) throw new Error(message)
    plan.onLost(message)
  }
}

function buildForkOptions({ isAlone, databases, mutation }: WorkerPlan, index: number, database: string): ForkOptions {
  return {
    // Many short-lived objects: a larger young generation avoids copying them twice.
    execArgv: ['--max-semi-space-size=32'],
    env: {
      // Each mutation starts processes, which spend most time loading these files.
      NODE_COMPILE_CACHE: path.join(os.tmpdir(), 'recoup-simulator-compiled'),
      ...process.env,
      SIMULATOR_DATABASE: database,
      SIMULATOR_MUTATION: mutation ?? '',
      SIMULATOR_CORE: isAlone && databases.isHere ? String(index % os.availableParallelism()) : '',
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  }
}

/** Returns an error message if the process did not end as planned. */
function playUntilEnd(plan: WorkerPlan, child: ChildProcess): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const open = new Set<number>()
  let isDone = false
  const silence = setTimeout(() => child.kill('SIGKILL'), SILENCE_MS)
  child.on('message', (message: 'idle' | PlayReport) => {
    silence.refresh()
    if (message !== 'idle') {
      open.delete(message.seed)
      return plan.onReport(message)
    }
    const some = sendSeeds(plan, child)
    for (const seed of some) open.add(seed)
    isDone = some.length === 0
    if (isDone) child.disconnect()
  })
  child.on('exit', (code, signal) => {
    clearTimeout(silence)
    const unanswered = `seeds ${[...open].join(', ') || 'none'} not answered`
    resolve(isDone ? null : `A process of the simulator ended (${signal ?? code}), ${unanswered}.`)
  })
  return promise
}

function sendSeeds({ seeds, isShrunk, isEnough, atOnce = AT_ONCE }: WorkerPlan, child: ChildProcess): number[] {
  const some: number[] = []
  while (some.length < atOnce && !isEnough?.()) {
    const { value, done } = seeds.next()
    if (done) break
    some.push(value)
  }
  if (some.length > 0) child.send({ seeds: some, isShrunk } satisfies PlayRequest)
  return some
}

export function* listSeeds(first: number, count: number): Generator<number> {
  for (let seed = first; seed < first + count; seed++) yield seed
}
