import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import type { Databases } from './databases.ts'
import type { PlayReport, PlayRequest } from './worker.ts'

// Histories over several processes, each with a database of its own.

export interface WorkerPlan {
  databases: Databases
  workers: number
  /** The next seeds to play; ends when there are none. */
  seeds: Iterator<number>
  isShrunk: boolean
  /** How many seeds a process is given each time. */
  atOnce?: number
  /** The engine is changed on loading (see mutations.ts). */
  mutation?: string
  onReport: (report: PlayReport) => void
  /** Nothing else wants the machine: each process stays on a core. */
  isAlone?: boolean
  /** A process ended or fell silent; another one takes its place. Without this, the run ends with it. */
  onLost?: (words: string) => void
  /** After a report: no more seeds are given out. */
  isEnough?: () => boolean
}

const AT_ONCE = 10
/** No history takes that long, not even one that is made shorter. */
const SILENCE_MS = 10 * 60_000
const MAIN = path.join(import.meta.dirname, 'main.ts')

export async function runWorkers(plan: WorkerPlan): Promise<void> {
  await Promise.all(Array.from({ length: plan.workers }, (_, index) => runOne(plan, index)))
}

async function runOne(plan: WorkerPlan, index: number): Promise<void> {
  const database = await plan.databases.database()
  for (;;) {
    const words = await playUntilEnd(plan, fork(MAIN, ['worker'], optionsOf(plan, index, database)))
    if (words === null) return
    if (!plan.onLost) throw new Error(words)
    plan.onLost(words)
  }
}

function optionsOf({ isAlone, databases, mutation }: WorkerPlan, index: number, database: string): ForkOptions {
  return {
    // Short-lived objects by the thousand: with more room for them, few are looked at twice.
    execArgv: ['--max-semi-space-size=32'],
    env: {
      // A process is started for each mutation, and most of its time is reading these files.
      NODE_COMPILE_CACHE: path.join(os.tmpdir(), 'recoup-simulator-compiled'),
      ...process.env,
      SIMULATOR_DATABASE: database,
      SIMULATOR_MUTATION: mutation ?? '',
      SIMULATOR_CORE: isAlone && databases.isHere ? String(index % os.availableParallelism()) : '',
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  }
}

/** Answers what is to be said of a process that did not end as told. */
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
    const some = giveOut(plan, child)
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

function giveOut({ seeds, isShrunk, isEnough, atOnce = AT_ONCE }: WorkerPlan, child: ChildProcess): number[] {
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
