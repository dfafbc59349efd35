import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import type { Ground } from './ground.ts'
import type { Order, Report } from './lane.ts'

// Histories over several processes, each with a database of its own.

export interface Plan {
  ground: Ground
  lanes: number
  /** The next seeds to play; ends when there are none. */
  seeds: Iterator<number>
  isShrunk: boolean
  /** The engine is changed on loading (see mutations.ts). */
  mutation?: string
  onReport: (report: Report) => void
  /** After a report: no more seeds are given out. */
  isEnough?: () => boolean
}

const AT_ONCE = 10
const MAIN = path.join(import.meta.dirname, 'main.ts')

export async function runLanes(plan: Plan): Promise<void> {
  await Promise.all(Array.from({ length: plan.lanes }, () => runOne(plan)))
}

async function runOne(plan: Plan): Promise<void> {
  const database = await plan.ground.database()
  const child = fork(MAIN, ['lane'], {
    execArgv: [],
    env: { ...process.env, SIMULATOR_DATABASE: database, SIMULATOR_MUTATION: plan.mutation ?? '' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let isDone = false
  child.on('message', (message: 'idle' | Report) => {
    if (message !== 'idle') return plan.onReport(message)
    isDone = !giveOut(plan, child)
    if (isDone) child.disconnect()
  })
  child.on('exit', (code) => (isDone ? resolve() : reject(new Error(`a process of the simulator ended (${code})`))))
  return promise
}

function giveOut({ seeds, isShrunk, isEnough }: Plan, child: ChildProcess): boolean {
  const some: number[] = []
  while (some.length < AT_ONCE && !isEnough?.()) {
    const { value, done } = seeds.next()
    if (done) break
    some.push(value)
  }
  if (some.length === 0) return false
  child.send({ seeds: some, isShrunk } satisfies Order)
  return true
}

export function* seedsFrom(first: number, count: number): Generator<number> {
  for (let seed = first; seed < first + count; seed++) yield seed
}
