import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type CrashCase, cases } from './cases.ts'
import { type CrashResult, type CrashRunner, startCrashRunner } from './runner.ts'
import { startShops } from './shops.ts'

// `npm run crash -- --times 20 [--only send] [--lanes 4] [--seed 1] [--skip 30]`: runs every case this many times, half
// with two workers, half with four. `--skip` leaves out the first runs of each half, to resume an interrupted run.

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    lanes: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    skip: { type: 'string', default: '0' },
  },
})

interface Todo {
  crash: CrashCase
  seed: number
}

interface Line {
  runs: number
  failed: number
  mails: number
  unknown: number
  slowestMs: number
  slowdown: number
}

const lines = new Map<string, Line>()
const chosen = cases.filter(({ name }) => name.includes(values.only))
// Round by round, so an interrupted run has tried every case equally often.
const all = Array.from({ length: Number(values.times) }, (_, n) =>
  chosen.map((crash) => ({ crash, seed: Number(values.seed) + cases.indexOf(crash) * 1_000 + n })),
).flat()
const queues: Todo[][] = [[], []]
for (const todo of all) queues[todo.seed % 2]!.push(todo)
for (const queue of queues) queue.splice(0, Number(values.skip))

const runners = new Set<CrashRunner>()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    report()
    // Child processes would outlive us.
    await Promise.race([Promise.allSettled([...runners].map((runner) => runner.stop())), sleep(20_000)])
    process.exit()
  })
const startedAt = performance.now()
const shops = await startShops()
await Promise.all(Array.from({ length: Number(values.lanes) }, (_, n) => runQueue(n)))
for (const shop of shops) await shop.stop()
report()

/** Odd lanes have four workers, the others two. A finished lane helps the others. */
async function runQueue(index: number): Promise<void> {
  const workers = index % 2 === 1 ? 4 : 2
  const runner = await startCrashRunner(shops, workers)
  runners.add(runner)
  try {
    for (;;) {
      const todo = queues[index % 2]!.shift() ?? (Number(values.lanes) === 1 ? queues[1]!.shift() : undefined)
      if (!todo) return
      const result = await runner.run(todo.crash, todo.seed)
      recordResult(todo, workers, result)
    }
  } finally {
    runners.delete(runner)
    await runner.stop()
  }
}

function recordResult(
  { crash, seed }: Todo,
  workers: number,
  { mails, unknown, recoveryMs, slowdown, problems }: CrashResult,
): void {
  const line = lines.get(crash.name) ?? { runs: 0, failed: 0, mails: 0, unknown: 0, slowestMs: 0, slowdown: 1 }
  line.runs += 1
  line.failed += problems.length > 0 ? 1 : 0
  line.mails += mails
  line.unknown = Math.max(line.unknown, unknown)
  if (recoveryMs > line.slowestMs) Object.assign(line, { slowestMs: recoveryMs, slowdown })
  lines.set(crash.name, line)
  const summary = `${crash.name}, ${workers} workers, seed ${seed}: ${mails} mails, ${unknown} unknown, ${formatSeconds(recoveryMs)} (machine ${slowdown.toFixed(1)} times as slow)`
  console.log(`${problems.length > 0 ? 'BROKEN ' : ''}${summary}`)
  for (const problem of problems) console.log(`    ${problem}`)
}

function report(): void {
  console.log(
    '\n| case | runs | broken | mails | unknown, most | slowest recovery | machine then |\n| - | -: | -: | -: | -: | -: | -: |',
  )
  for (const { name } of chosen) {
    const line = lines.get(name)
    if (!line) continue
    const { runs, failed, mails, unknown, slowestMs, slowdown } = line
    console.log(
      `| ${name} | ${runs} | ${failed} | ${mails} | ${unknown} | ${formatSeconds(slowestMs)} | ${slowdown.toFixed(1)} |`,
    )
  }
  const sum = (what: 'runs' | 'failed') => [...lines.values()].reduce((total, line) => total + line[what], 0)
  const broken = sum('failed')
  console.log(
    `\n${sum('runs')} of ${all.length} crashes in ${formatSeconds(performance.now() - startedAt)}, ${broken} broken`,
  )
  process.exitCode = broken > 0 ? 1 : 0
}

function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
