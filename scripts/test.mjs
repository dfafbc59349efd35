// `npm test`: everything that must hold, on a fresh clone with Node 20 and npm only.
// `npm test -- carts` runs only the tests whose file name contains "carts"; further vitest options may follow.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import {
  ensureInstalled,
  ensureWebBuilt,
  filesBelow,
  main,
  node26,
  root,
  run,
  Stop,
  tool,
  toolEnv,
} from './prepare.mjs'

const filters = process.argv.slice(2)
const failed = []
const counts = { passed: 0, failed: 0, skipped: 0 }

await main(async () => {
  process.chdir(root)
  await step('packages', ensureInstalled)
  const node = node26()
  const check = (name, args) => step(name, () => run(node, [tool(name), ...args], { env: toolEnv() }))
  if (filters.length === 0) {
    await check('tsc', ['-p', '.'])
    await check('biome', ['check', '.'])
    await check('knip', [])
  }
  await step('browser app', () => ensureWebBuilt(node))
  // Some of the unit tests look at a page too.
  const chromium = findChromium() ?? (isBrowserTested() ? await installChromium() : undefined)
  const env = chromium ? { CHROMIUM_PATH: chromium } : {}
  await step('unit and integration tests', () => vitest(node, 'unit', env))
  if (isBrowserTested()) await step('browser tests', () => browserTests(node, chromium))
  return report()
})

/** Runs one step and says how long it took; a failure is noted, and the steps after it still run. */
async function step(name, work) {
  console.log(`\n── ${name}`)
  const begun = performance.now()
  const code = await work()
  if (code) failed.push(name)
  console.log(`── ${name}: ${code ? 'FAILED after' : 'done in'} ${((performance.now() - begun) / 1000).toFixed(1)} s`)
  // Ctrl-C and SIGTERM end the whole run, not one step of it.
  if (code === 130 || code === 143) throw new Stop('Stopped.')
}

async function vitest(node, project, more = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-test-report-'))
  const file = path.join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  try {
    const args = [tool('vitest'), 'run', '--project', project, '--passWithNoTests', ...reporters, ...filters]
    const code = await run(node, args, { env: toolEnv(more) })
    return count(file, code) || code
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Adds a run's numbers. A run that failed outside its tests (a file that does not load, no report) counts as one failure. */
function count(file, code) {
  const report = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null
  counts.passed += report?.numPassedTests ?? 0
  counts.skipped += (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0)
  const failures = report?.numFailedTests ?? 0
  const isBroken = failures === 0 && (code !== 0 || !report)
  counts.failed += isBroken ? 1 : failures
  return failures > 0 || isBroken ? 1 : 0
}

/** A browser is slow to find and to start: with filters only when they name a browser test. */
function isBrowserTested() {
  const names = filesBelow(path.join(root, 'e2e')).map((file) => path.relative(root, file))
  const tests = names.filter((name) => name.endsWith('.test.ts'))
  return tests.some((name) => filters.length === 0 || filters.some((filter) => name.includes(filter)))
}

async function browserTests(node, chromium) {
  if (chromium) return vitest(node, 'e2e', { CHROMIUM_PATH: chromium })
  console.error(
    'No Chromium found: install one (Debian: apt-get install chromium), or set CHROMIUM_PATH to a Chrome or Chromium.',
  )
  counts.failed += 1
  return 1
}

function findChromium() {
  // The shell has no window to draw around the page: a third less work.
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const places = ['/usr/bin', '/usr/local/bin', ...(process.env.PATH ?? '').split(path.delimiter)]
  const onMac = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
  const candidates = [...names.flatMap((name) => places.map((place) => path.join(place, name))), ...onMac]
  if (process.env.CHROMIUM_PATH) candidates.unshift(process.env.CHROMIUM_PATH)
  // Asked for its version: on Ubuntu the program of that name may only be a note that it is to be had elsewhere.
  return candidates.find(
    (file) => fs.existsSync(file) && spawnSync(file, ['--version'], { stdio: 'ignore' }).status === 0,
  )
}

async function installChromium() {
  if (process.getuid?.() !== 0 || !fs.existsSync('/etc/debian_version')) return undefined
  console.log('Installing Chromium (apt-get) …')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const stdio = ['ignore', 'ignore', 'inherit']
  await run('apt-get', ['update', '-q'], { env, stdio })
  const install = (name) => run('apt-get', ['install', '-y', '-q', '--no-install-recommends', name], { env, stdio })
  // Releases before Debian 12 have no such package.
  if (await install('chromium-headless-shell')) await install('chromium')
  return findChromium()
}

function report() {
  const total = counts.passed + counts.failed + counts.skipped
  if (total === 0) failed.push(filters.length > 0 ? `no test matches ${filters.join(' ')}` : 'there are no tests')
  if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}`)
  // The CI reads this line: nothing else may stand on it.
  console.log(
    `\n${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
  )
  return failed.length > 0 ? 1 : 0
}
