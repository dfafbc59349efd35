// `npm run proofs` lists the parts. `npm run proofs -- histories themes` runs these, `-- --changed` those whose code
// has changed since they last passed, `-- --all` all. Repeating an interrupted command continues it. Results are stored
// in proofs.json, which is committed.

import { spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { parts } from '../proofs/parts.mjs'
import { ensureChromium, ensureFirefox } from './browsers.mjs'
import {
  buildToolEnv,
  ensureInstalled,
  ensureWebBuilt,
  findNode26,
  main,
  root,
  tool,
  UserError,
  waitForExit,
} from './prepare.mjs'
import {
  isDue,
  listChangesSince,
  openProgress,
  openResults,
  readJson,
  toResult,
  touchesPart,
  writeJson,
} from './proof-results.mjs'
import { readRecord } from './record.mjs'
import { openRun } from './run.mjs'

const CASES = path.join(root, 'proofs', 'cases.json')
const results = openResults(path.join(root, 'proofs.json'))
const progress = openProgress(path.join(root, 'node_modules', '.cache', 'recoup', 'proofs.json'))

/** Result of each part of this run. */
const outcomes = new Map()

/** The tests also handle signals and may then exit as if one had failed. */
let isStopped = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (isStopped = true))

await main(async () => {
  process.chdir(root)
  const args = process.argv.slice(2)
  const chosen = chooseParts(args)
  if (!chosen) return printParts()
  if (chosen.length === 0) {
    console.log('No part is due: no code has changed since the parts passed.')
    return 0
  }
  await ensureInstalled()
  const node = findNode26()
  await ensureWebBuilt(node)
  const before = progress.begin(args.join(' '), git('rev-parse', 'HEAD'))
  if (before.length > 0) console.log(`Continues after ${before.join(', ')}.`)
  const browsers = await findBrowsers(chosen)
  for (const part of chosen) if (!before.includes(part.name)) await runPart(node, part, browsers)
  progress.end()
  return printSummary(chosen)
})

/** null: only the list was requested. */
function chooseParts(args) {
  if (args.length === 0) return null
  if (args.includes('--all')) return parts
  if (args.includes('--changed')) return parts.filter((part) => isDue(part, results.all(), listChangesSince))
  const unknown = args.filter((name) => !parts.some((part) => part.name === name))
  if (unknown.length > 0)
    throw new UserError(`There is no part ${unknown.join(', ')}. Parts: ${parts.map(({ name }) => name).join(', ')}`)
  return parts.filter(({ name }) => args.includes(name))
}

function printParts() {
  for (const part of parts) {
    const last = results.all().find((row) => row.part === part.name)
    const state = last ? `${last.result} at ${last.commit.slice(0, 8)} in ${last.seconds} s` : 'never run'
    const due = isDue(part, results.all(), listChangesSince) ? ', due' : ''
    console.log(`${part.name.padEnd(18)}${part.what}\n${' '.repeat(18)}${state}${due}`)
  }
  return 0
}

async function findBrowsers(chosen) {
  const needsFirefox = chosen.some(({ needs }) => needs === 'firefox')
  const [chromium, firefox] = [await ensureChromium(), needsFirefox ? await ensureFirefox() : null]
  return { ...(chromium && { CHROMIUM_PATH: chromium }), ...(firefox && { FIREFOX_PATH: firefox }) }
}

async function runPart(node, part, browsers) {
  const commit = git('rev-parse', 'HEAD')
  const { seed, step: first, seconds: before, counts } = readProgress(part)
  console.log(`\n── ${part.name}: seed ${seed}${first > 0 ? `, from step ${first + 1} on` : ''}`)
  const startedAt = performance.now()
  const seconds = () => Math.round(before + (performance.now() - startedAt) / 1_000)
  for (let step = first; step < (part.steps ?? 1) && counts.failed === 0; step++) {
    throwIfStopped()
    progress.keepStep(part.name, { commit, seed, step, seconds: seconds(), counts })
    const env = { TEST_SEED: String(seed), ...browsers }
    const { output, ...found } = await runStep(node, part.command({ seed, step }), env)
    throwIfStopped()
    for (const name of Object.keys(counts)) counts[name] += found[name]
    saveFailedSeeds(part, output)
  }
  const row = { part: part.name, commit, seed, result: toResult(counts), seconds: seconds() }
  const { skipped } = counts
  console.log(`── ${part.name}: ${row.result} in ${row.seconds} s${skipped > 0 ? `, ${skipped} tests skipped` : ''}`)
  outcomes.set(part.name, row.result)
  // A result belongs to a commit.
  if (touchesPart(part, listChangesSince(commit) ?? [])) {
    console.log('Not written to proofs.json: code of this part differs from the commit.')
    progress.endStep(part.name)
    return
  }
  results.add({ ...row, ...(skipped > 0 && { skipped }) })
  progress.endPart(part.name)
}

/** Progress of an interrupted run if the part's code is unchanged; otherwise a new seed. */
function readProgress(part) {
  const saved = progress.stepOf(part.name)
  const files = saved && listChangesSince(saved.commit)
  if (files && !touchesPart(part, files)) return saved
  return { seed: randomInt(1_000, 100_000_000), step: 0, seconds: 0, counts: { passed: 0, failed: 0, skipped: 0 } }
}

function throwIfStopped() {
  if (isStopped) throw new UserError('Stopped. Run the same command again to continue.')
}

async function runStep(node, [file, ...args], env) {
  const run = openRun({ isFullSize: true })
  const isVitest = file === 'vitest'
  const child = spawn(node, [isVitest ? tool('vitest') : file, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: buildToolEnv({ TEST_PROOF: '1', ...env }),
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
    process.stdout.write(text)
  })
  const code = await waitForExit(child)
  for (const name of listSkipped(readRecord(run.record))) console.log(`Left out: ${name}`)
  const { passed, failed, skipped, leftRunning } = run.close()
  for (const command of leftRunning) console.error(`Left running: ${command}`)
  const isRed = code !== 0 || leftRunning.length > 0
  return { output, passed, failed: failed || (isRed ? 1 : 0), skipped }
}

/** Names of skipped tests, which contain the reason. */
function listSkipped({ tests }) {
  return new Set(tests.filter(({ state }) => state === 'skipped').map(({ name }) => name.split(' > ')[0]))
}

/** Saves failed seeds, which `npm test` then runs, too. */
function saveFailedSeeds({ name, failedSeed }, output) {
  const found = failedSeed ? [...output.matchAll(failedSeed)].map(([, seed]) => Number(seed)) : []
  if (found.length === 0) return
  const cases = readJson(CASES, {})
  writeJson(CASES, { ...cases, [name]: [...new Set([...(cases[name] ?? []), ...found])] })
}

/** Includes parts that an interrupted run of the same command finished. */
function printSummary(chosen) {
  const rows = results.all()
  const findPartResult = ({ name }) => outcomes.get(name) ?? rows.find(({ part }) => part === name)?.result
  console.log('')
  for (const part of chosen) console.log(`${part.name.padEnd(18)}${findPartResult(part)}`)
  return chosen.some((part) => findPartResult(part) === 'failed') ? 1 : 0
}

function git(...args) {
  return spawnSync('git', args, { encoding: 'utf8' }).stdout.trim()
}
