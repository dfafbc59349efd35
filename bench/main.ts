import { type ChildProcess, fork } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbedded } from '../server/core/postgres/embedded.ts'
import { type Figure, formatMarkdown, isMet, printFigures } from './figures.ts'
import { listTopLines } from './profile.ts'

// npm run bench [-- --scale 0.1] [--profile] [names …] runs each benchmark in its own process, one after the other, on
// one PostgreSQL with production settings. Prints a table after each, all as Markdown at the end, and writes
// bench/results.json. docs/performance.md explains the results.

// Benchmarks that share a database are adjacent, readers before writers. The server that `paint` starts would process
// the carts of `detect`.
const names = [
  'start',
  'idle',
  'latency',
  'fairness',
  'campaign',
  'preview',
  'mail',
  'send',
  'decide',
  'capture',
  'fold',
  'triggers',
  'sync',
  'list',
  'customers',
  'audience',
  'dashboard',
  'notifications',
  'analytics',
  'flows',
  'detect',
  'retention',
  'paint',
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { scale: { type: 'string', default: '1' }, profile: { type: 'boolean', default: false } },
})
const unknown = positionals.filter((name) => !names.includes(name))
const scale = Number(values.scale)
if (unknown.length > 0 || !(scale > 0 && scale <= 1)) {
  process.stderr.write(`Usage: npm run bench -- [--scale 0.1] [--profile] [${names.join('|')} …]\n`)
  process.exit(1)
}

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'recoup-bench-'))
// As root, PostgreSQL runs as another user, who needs access to the folder.
const elsewhere = mkdtempSync(path.join(os.tmpdir(), 'recoup-bench-db-'))
chmodSync(elsewhere, 0o711)
const postgres = await startEmbedded({ dataDir, elsewhere, settings: { max_connections: '200' } })
const profiles = path.join(dataDir, 'profiles')
const results: { bench: string; seconds: number; figures: Figure[] }[] = []
const failed: string[] = []
const started = Date.now()
let child: ChildProcess | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    child?.kill('SIGKILL')
    void cleanUp().finally(() => process.exit(130))
  })
}
try {
  for (const name of names.filter((each) => positionals.length === 0 || positionals.includes(each))) {
    process.stdout.write(`\n${name}\n`)
    const startedAt = Date.now()
    const figures = await runInProcess(name)
    if (!figures) failed.push(name)
    else results.push({ bench: name, seconds: (Date.now() - startedAt) / 1000, figures })
    if (figures) printFigures(figures)
    if (values.profile) process.stdout.write(`\n${listTopLines(profiles).join('\n')}\n`)
  }
} finally {
  await cleanUp()
}
saveResults()

async function cleanUp(): Promise<void> {
  await postgres.stop()
  for (const folder of [dataDir, elsewhere]) rmSync(folder, { recursive: true, force: true })
}

/** A separate process isolates memory and JIT code. null: it failed and printed the reason. */
function runInProcess(name: string): Promise<Figure[] | null> {
  return new Promise((resolve) => {
    let figures: Figure[] | null = null
    child = fork(new URL('./run.ts', import.meta.url), [name], {
      execArgv: ['--expose-gc', ...(values.profile ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [])],
      env: { ...process.env, BENCH_DATABASE_URL: postgres.url, BENCH_SCALE: String(scale) },
    })
    child.on('message', (message) => {
      figures = message as Figure[]
    })
    child.on('exit', (code) => resolve(code === 0 ? figures : null))
  })
}

function saveResults(): void {
  const before = readBefore()
  const machine = {
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    cpu: os.cpus()[0]?.model,
  }
  const report = {
    at: new Date().toISOString(),
    scale,
    node: process.version,
    machine,
    load: os.loadavg(),
    failed,
    results,
  }
  writeFileSync(new URL('./results.json', import.meta.url), `${JSON.stringify(report, null, 2)}\n`)
  const missed = results.flatMap((each) => each.figures.filter((figure) => isMet(figure) === false))
  const minutes = ((Date.now() - started) / 60_000).toFixed(1)
  process.stdout.write(
    `\n${formatMarkdown(
      results.flatMap((each) => each.figures),
      before,
    )}\n\n${minutes} minutes in all\n`,
  )
  if (missed.length > 0) process.stdout.write(`\nMissed: ${missed.map((each) => each.name).join('; ')}\n`)
  else if (failed.length === 0) process.stdout.write('\nAll goals met\n')
  if (failed.length > 0) process.stderr.write(`Failed: ${failed.join(', ')}\n`)
  process.exitCode = failed.length > 0 ? 1 : 0
}

/** The figures of the last run by name, to print beside the new ones. */
function readBefore(): ReadonlyMap<string, number> {
  try {
    const report: { results: typeof results } = JSON.parse(
      readFileSync(new URL('./results.json', import.meta.url), 'utf8'),
    )
    return new Map(report.results.flatMap((each) => each.figures.map(({ name, value }) => [name, value])))
  } catch {
    return new Map()
  }
}
