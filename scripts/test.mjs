// `npm test`: everything that must hold, on a fresh clone with Node 20 and npm only.
// `npm test -- carts` runs only the tests whose file name contains "carts"; further vitest options may follow.
// `npm run test:all`: also what takes an hour. `npm run test:all -- outages` runs only tests whose file name contains "outages", the long ones too.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import readline from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ended,
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

const isEverything = process.argv[2] === '--all'
const filters = process.argv.slice(isEverything ? 3 : 2)
// Of what takes long a part is tried, chosen by the day: test/tier.ts.
const seed = process.env.TEST_SEED || new Date().toISOString().slice(0, 10).replaceAll('-', '')
const tier = {
  TEST_SEED: seed,
  ...(isEverything ? { TEST_TIER: 'all' } : {}),
  ...(filters.length === 0 ? { TEST_WHOLE: '1' } : {}),
}
const failed = []
const counts = { passed: 0, failed: 0, skipped: 0 }
/** Tests that failed: their project, file, name and what they said. */
let failures = []
const unsteady = []
const [UNIT_STEP, BROWSER_STEP] = ['unit and integration tests', 'browser tests']
/** More than these are no accident of a busy machine. */
const MAX_FILES_AGAIN = 3

await main(async () => {
  process.chdir(root)
  console.log(`TEST_SEED=${seed}: what is tried of what takes long`)
  await step('packages', ensureInstalled)
  const node = node26()
  const build = () => step('browser app', () => ensureWebBuilt(node))
  await Promise.all([build(), ...(filters.length === 0 ? staticChecks(node) : [])])
  // Some of the unit tests look at a page too.
  const chromium = findChromium() ?? (isBrowserTested() ? await installChromium() : undefined)
  const browsers = { ...(chromium && { CHROMIUM_PATH: chromium }), ...(await firefox()) }
  // A browser waits half of its time for the server it looks at: the other tests compute meanwhile.
  await Promise.all([
    step(UNIT_STEP, () => vitest(node, 'unit', browsers)),
    isBrowserTested() && step(BROWSER_STEP, () => browserTests(node, browsers)),
  ])
  await onceMoreAlone(node, browsers)
  if (isEverything && filters.length === 0) await longRuns(node)
  return report()
})

/** Side by side: most of them use one core. Of several checkers each finds out anew what the others know: on two cores that is half of the work. */
function staticChecks(node) {
  const check = (name, args) => step(name, () => runQuietly(node, [tool(name), ...args]))
  return [
    check('tsc', ['-p', '.', ...(os.availableParallelism() < 4 ? ['--checkers', '1'] : [])]),
    check('biome', ['check', '.']),
    check('knip', []),
    step('patterns', () => runQuietly(node, ['scripts/check-patterns.ts'])),
  ]
}

/** What proves the engine, at the size of an hour (docs/reliability.md). */
async function longRuns(node) {
  const long = (name, args) => step(name, () => run(node, args, { env: toolEnv() }))
  await long('random histories', ['test/simulator/main.ts', '--scenarios', '2000', '--from', '10001'])
  await long('mutations', ['test/simulator/main.ts', '--mutations'])
  await long('crashes', ['e2e/crash/main.ts', '--times', '1'])
}

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

/** Several at a time: what each has to say is printed in one piece. */
async function runQuietly(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: toolEnv() })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const code = await ended(child)
  process.stdout.write(output)
  return code
}

/** Beside another: whole lines of both take turns. */
async function runByLine(command, args, env) {
  const colour = process.stdout.isTTY && !process.env.NO_COLOR ? { FORCE_COLOR: '1' } : {}
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, ...colour } })
  for (const name of ['stdout', 'stderr']) {
    readline.createInterface({ input: child[name] }).on('line', (line) => process[name].write(`${line}\n`))
  }
  const streams = ['stdout', 'stderr'].map((name) => once(child[name], 'close'))
  const code = await ended(child)
  // What it left running may hold its output open.
  await Promise.race([Promise.all(streams), sleep(2_000, null, { ref: false })])
  return code
}

async function vitest(node, project, browsers) {
  const { code, report } = await runVitest(node, project, browsers, filters)
  return count(project, report, code) || code
}

/** `report`: as vitest writes it; null where it could not. */
async function runVitest(node, project, browsers, names) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-test-report-'))
  const file = path.join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const env = toolEnv({ ...tier, ...browsers })
  try {
    const args = [tool('vitest'), 'run', '--project', project, '--passWithNoTests', ...reporters, ...names]
    const code = await runByLine(node, args, env)
    return { code, report: fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The files of a few failed tests run once more with the machine for themselves. What fails there too is broken. What passes is unsteady:
 * the run goes through, and its end names each of them with what it said.
 */
async function onceMoreAlone(node, browsers) {
  const files = new Set(failures.map(({ file }) => file))
  if (files.size === 0 || files.size > MAX_FILES_AGAIN || failures.length !== counts.failed) return
  await step('once more, alone', async () => {
    const stillFailing = []
    for (const project of new Set(failures.map((failure) => failure.project))) {
      const before = failures.filter((failure) => failure.project === project)
      const { code, report } = await runVitest(node, project, browsers, [...new Set(before.map(({ file }) => file))])
      const now = failuresIn(project, report)
      if (!report || (code !== 0 && now.length === 0)) stillFailing.push(...before)
      else stillFailing.push(...now)
    }
    if (stillFailing.length > 0) return 1
    unsteady.push(...failures)
    counts.passed += failures.length
    counts.failed -= failures.length
    failures = []
    for (const name of [UNIT_STEP, BROWSER_STEP].filter((name) => failed.includes(name))) {
      failed.splice(failed.indexOf(name), 1)
    }
    return 0
  })
}

/** A run of its own: workers keep the modules they have loaded only between files of the same project. */
async function browserTests(node, browsers) {
  if (browsers.CHROMIUM_PATH) return vitest(node, 'e2e', browsers)
  console.error(
    'No Chromium found: install one (Debian: apt-get install chromium), or set CHROMIUM_PATH to a Chrome or Chromium.',
  )
  counts.failed += 1
  return 1
}

/** Adds a run's numbers. A run that failed outside its tests (a file that does not load, no report) counts as one failure. */
function count(project, report, code) {
  counts.passed += report?.numPassedTests ?? 0
  counts.skipped += (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0)
  const found = failuresIn(project, report)
  failures.push(...found)
  const isBroken = found.length === 0 && (code !== 0 || !report)
  counts.failed += isBroken ? 1 : found.length
  return found.length > 0 || isBroken ? 1 : 0
}

/** One for each failed test, and one for a file that failed outside of them (it does not load, or one of its hooks fails). */
function failuresIn(project, report) {
  return (report?.testResults ?? [])
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const file = path.relative(root, name)
      const of = (title, text) => ({ project, file, name: title, said: text.split('\n').slice(0, 6).join('\n') })
      const tests = assertionResults.filter(({ status }) => status === 'failed')
      if (tests.length === 0) return [of('the file itself', message ?? '')]
      return tests.map(({ fullName, failureMessages }) => of(fullName, failureMessages[0] ?? ''))
    })
}

/** A browser is slow to find and to start: with filters only when they name a browser test. */
function isBrowserTested() {
  const names = filesBelow(path.join(root, 'e2e')).map((file) => path.relative(root, file))
  const tests = names.filter((name) => name.endsWith('.test.ts'))
  return tests.some((name) => filters.length === 0 || filters.some((filter) => name.includes(filter)))
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
  const install = await installer('Chromium')
  // Releases before Debian 12 have no such package.
  if (install && (await install('chromium-headless-shell'))) await install('chromium')
  return install && findChromium()
}

/** Of Debian's packages; undefined where there are none, or nobody may install them. */
async function installer(what) {
  if (process.getuid?.() !== 0 || !fs.existsSync('/etc/debian_version')) return undefined
  console.log(`Installing ${what} (apt-get) …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const stdio = ['ignore', 'ignore', 'inherit']
  await run('apt-get', ['update', '-q'], { env, stdio })
  return (name) => run('apt-get', ['install', '-y', '-q', '--no-install-recommends', name], { env, stdio })
}

/** Web push in a real Firefox (*.firefox.test.ts): in `npm run test:all`, and where `TEST_FIREFOX` asks for it, as the CI does. */
async function firefox() {
  const isAskedFor = Boolean(process.env.TEST_FIREFOX)
  const isNamed = filters.length === 0 || filters.some((filter) => filter.includes('firefox'))
  if (!isNamed || !(isEverything || isAskedFor)) return {}
  const file = findFirefox() ?? (await installFirefox())
  if (file) return { FIREFOX_PATH: file }
  console.error(
    'No Firefox found: install one (Debian: apt-get install firefox-esr), or set FIREFOX_PATH. Its tests are left out.',
  )
  if (isAskedFor) failed.push('Firefox is missing')
  return {}
}

function findFirefox() {
  const places = [process.env.FIREFOX_PATH, '/usr/bin/firefox-esr', '/usr/bin/firefox']
  return places.find(
    (file) => file && fs.existsSync(file) && spawnSync(file, ['--version'], { stdio: 'ignore' }).status === 0,
  )
}

async function installFirefox() {
  const install = await installer('Firefox')
  if (install && (await install('firefox-esr'))) console.error('Firefox could not be installed.')
  return findFirefox()
}

function report() {
  const total = counts.passed + counts.failed + counts.skipped
  if (total === 0) failed.push(filters.length > 0 ? `no test matches ${filters.join(' ')}` : 'there are no tests')
  // At the end, where a long output is read first.
  for (const { file, name, said } of failures) console.error(`\nFailed: ${file} > ${name}\n${said}`)
  for (const { file, name, said } of unsteady) console.error(`\nUnsteady, passed alone: ${file} > ${name}\n${said}`)
  if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}`)
  // The CI reads this line: nothing else may stand on it.
  console.log(
    `\n${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
  )
  return failed.length > 0 ? 1 : 0
}
