// `npm test` runs all checks and tests on a fresh clone that has only Node 20 and npm. The same tree runs the same
// tests. `npm test -- carts` runs only the tests whose path contains "carts"; further vitest options may follow.

import { spawn } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { ensureChromium } from './browsers.mjs'
import {
  buildToolEnv,
  ensureInstalled,
  ensureWebBuilt,
  findNode26,
  listFiles,
  main,
  root,
  runQuietly,
  tool,
  UserError,
  waitForExit,
} from './prepare.mjs'
import { openRun } from './run.mjs'

const filters = process.argv.slice(2)
const startedAt = performance.now()
const failed = []

await main(async () => {
  process.chdir(root)
  const loopSeconds = timeLoop()
  await step('packages', ensureInstalled)
  const node = findNode26()
  const run = openRun()
  try {
    await Promise.all([
      filters.length === 0 && check(node, 'tsc', tool('tsc'), '-p', '.', '--checkers', '1'),
      step('browser app', () => ensureWebBuilt(node)).then(() => filters.length === 0 && runOtherChecks(node)),
    ])
    await step('tests', () => runTests(node))
  } finally {
    finish(run, loopSeconds)
  }
  return failed.length > 0 ? 1 : 0
})

/** Runs in parallel with the type check, which uses one core of two. */
async function runOtherChecks(node) {
  await check(node, 'biome', tool('biome'), 'check', '.')
  await check(node, 'knip', tool('knip'))
  await check(node, 'patterns', 'scripts/check-patterns.ts')
}

function check(node, name, ...args) {
  return step(name, () => runQuietly(node, args))
}

/** Runs one step and prints its time. After a failure the later steps still run. */
async function step(name, work) {
  const from = performance.now()
  const code = await work()
  if (code) failed.push(name)
  console.log(`── ${name}: ${code ? 'FAILED after' : 'done in'} ${((performance.now() - from) / 1_000).toFixed(1)} s`)
  // Ctrl-C and SIGTERM end the whole run, not only this step.
  if (code === 130 || code === 143) throw new UserError('Stopped.')
}

async function runTests(node) {
  const chromium = needsBrowser() ? await ensureChromium() : null
  if (needsBrowser() && !chromium) {
    console.error(
      'No Chromium found. Install one (Debian: apt-get install chromium), or set CHROMIUM_PATH to a Chrome.',
    )
    return 1
  }
  const projects = ['unit', 'screens', 'journeys'].flatMap((name) => ['--project', name])
  const args = [tool('vitest'), 'run', ...projects, ...(filters.length > 0 ? ['--passWithNoTests'] : []), ...filters]
  const env = buildToolEnv(chromium ? { CHROMIUM_PATH: chromium } : {})
  return waitForExit(spawn(node, args, { cwd: root, stdio: 'inherit', env }))
}

/** Whether one of the selected tests uses a browser. */
function needsBrowser() {
  const files = ['screens', 'e2e', 'storefront'].flatMap((folder) => listFiles(path.join(root, folder)))
  const names = files.filter((file) => file.endsWith('.test.ts')).map((file) => path.relative(root, file))
  return filters.length === 0 || names.some((name) => filters.some((filter) => name.includes(filter)))
}

/** Prints failures and cost, and removes the run's files. */
function finish(run, loopSeconds) {
  const { passed, failed: count, skipped, cpuSeconds, leftRunning } = run.close()
  if (passed + count + skipped === 0)
    failed.push(filters.length > 0 ? `no test matches ${filters.join(' ')}` : 'no test ran')
  if (leftRunning.length > 0) failed.push('processes were left running')
  for (const command of leftRunning) console.error(`\nLeft running: ${command}`)
  if (count > 0 && !failed.includes('tests')) failed.push('tests')
  if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}`)
  const wall = (performance.now() - startedAt) / 1_000
  const cpu = cpuSeconds === null ? '' : `${Math.round(cpuSeconds)} CPU s, `
  console.log(
    `\n${wall.toFixed(0)} s, ${cpu}${os.availableParallelism()} cores; a loop of 3 × 10⁸ additions takes ${loopSeconds.toFixed(2)} s`,
  )
  // The CI parses this line; keep its format.
  console.log(`\n${passed} passed, ${count} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
}

/** Seconds of a fixed loop, the best of three, to compare machines. */
function timeLoop() {
  const times = [1, 2, 3].map(() => {
    const from = performance.now()
    let sum = 0.5
    for (let count = 0; count < 3e8; count++) sum += count
    return sum > 0 ? (performance.now() - from) / 1_000 : 0
  })
  return Math.min(...times)
}
