// `npm run proofs`: lists the parts. `npm run proofs -- histories themes` runs these, `-- --changed` those whose code has changed since they
// last passed, `-- --all` every one. A run that was ended goes on where it was. Results are kept in proofs.json, which is committed.

import { spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { parts } from '../proofs/parts.mjs'
import { ensureChromium, ensureFirefox } from './browsers.mjs'
import { ended, ensureInstalled, ensureWebBuilt, main, node26, root, Stop, tool, toolEnv } from './prepare.mjs'
import { openRun } from './run.mjs'

const RESULTS = path.join(root, 'proofs.json')
const CASES = path.join(root, 'proofs', 'cases.json')
/** Of a part that was ended in the middle. */
const PROGRESS = path.join(root, 'node_modules', '.cache', 'recoup', 'proofs.json')

await main(async () => {
  process.chdir(root)
  const chosen = choose(process.argv.slice(2))
  if (!chosen) return list()
  if (chosen.length === 0) {
    console.log('No part is due: the code of each is as it was when it last passed.')
    return 0
  }
  await ensureInstalled()
  const node = node26()
  await ensureWebBuilt(node)
  const [chromium, firefox] = [await ensureChromium(), await ensureFirefox()]
  const browsers = { ...(chromium && { CHROMIUM_PATH: chromium }), ...(firefox && { FIREFOX_PATH: firefox }) }
  const failed = []
  for (const part of chosen) if ((await prove(node, part, browsers)) !== 'passed') failed.push(part.name)
  console.log(
    failed.length > 0 ? `\nFailed: ${failed.join(', ')}` : `\n${chosen.map(({ name }) => name).join(', ')}: passed`,
  )
  return failed.length > 0 ? 1 : 0
})

/** null: nothing was asked for but the list. */
function choose(args) {
  if (args.length === 0) return null
  if (args.includes('--all')) return parts
  if (args.includes('--changed')) return parts.filter(isDue)
  const unknown = args.filter((name) => !parts.some((part) => part.name === name))
  if (unknown.length > 0)
    throw new Stop(`There is no part ${unknown.join(', ')}. Parts: ${parts.map(({ name }) => name).join(', ')}`)
  return parts.filter(({ name }) => args.includes(name))
}

function list() {
  const results = readJson(RESULTS, [])
  for (const part of parts) {
    const last = results.find((row) => row.part === part.name)
    const state = last ? `${last.result} at ${last.commit.slice(0, 8)} in ${last.seconds} s` : 'never run'
    console.log(`${part.name.padEnd(18)}${part.what}\n${' '.repeat(18)}${state}${isDue(part) ? ', due' : ''}`)
  }
  return 0
}

function isDue(part) {
  const last = readJson(RESULTS, []).find((row) => row.part === part.name)
  if (last?.result !== 'passed') return true
  const changed = spawnSync('git', ['diff', '--name-only', last.commit], { encoding: 'utf8' })
  if (changed.status !== 0) return true
  const added = spawnSync('git', ['ls-files', '--others', '--exclude-standard'], { encoding: 'utf8' })
  const files = `${changed.stdout}${added.stdout}`.split('\n').filter(Boolean)
  return files.some((file) =>
    part.code.some((place) => (place instanceof RegExp ? place.test(file) : file.startsWith(place))),
  )
}

async function prove(node, part, browsers) {
  const commit = git('rev-parse', 'HEAD')
  const { seed, step: first, seconds: before } = resumed(part, commit)
  console.log(`\n── ${part.name}: seed ${seed}${first > 0 ? `, from step ${first + 1} on` : ''}`)
  const begun = performance.now()
  const seconds = () => Math.round(before + (performance.now() - begun) / 1_000)
  let result = 'passed'
  for (let step = first; step < (part.steps ?? 1) && result === 'passed'; step++) {
    writeJson(PROGRESS, { part: part.name, commit, seed, step, seconds: seconds() })
    const { code, output } = await runStep(node, part.command({ seed, step }), { TEST_SEED: String(seed), ...browsers })
    if (code === 130 || code === 143) throw new Stop('Stopped. The same command goes on from here.')
    if (code !== 0) result = 'failed'
    keepFailed(part, output)
  }
  fs.rmSync(PROGRESS, { force: true })
  const rows = readJson(RESULTS, []).filter((row) => row.part !== part.name)
  const row = { part: part.name, commit, seed, result, seconds: seconds() }
  writeJson(
    RESULTS,
    [...rows, row].sort((a, b) => (a.part < b.part ? -1 : 1)),
  )
  console.log(`── ${part.name}: ${result} in ${row.seconds} s`)
  return result
}

/** Where an ended run of the same part at the same commit goes on; else a fresh seed. */
function resumed(part, commit) {
  const kept = readJson(PROGRESS, null)
  if (kept?.part === part.name && kept.commit === commit) return kept
  return { seed: randomInt(1_000, 100_000_000), step: 0, seconds: 0 }
}

async function runStep(node, [file, ...args], env) {
  const run = openRun()
  const isVitest = file === 'vitest'
  const child = spawn(node, [isVitest ? tool('vitest') : file, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: toolEnv({ TEST_PROOF: '1', ...env }),
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
    process.stdout.write(text)
  })
  const code = await ended(child)
  const { failed, leftRunning } = run.close()
  for (const command of leftRunning) console.error(`Left running: ${command}`)
  return { code: code || (failed > 0 || leftRunning.length > 0 ? 1 : 0), output }
}

/** A seed that failed is played by `npm test` from then on. */
function keepFailed({ name, failedSeed }, output) {
  const found = failedSeed ? [...output.matchAll(failedSeed)].map(([, seed]) => Number(seed)) : []
  if (found.length === 0) return
  const cases = readJson(CASES, {})
  writeJson(CASES, { ...cases, [name]: [...new Set([...(cases[name] ?? []), ...found])] })
}

function git(...args) {
  return spawnSync('git', args, { encoding: 'utf8' }).stdout.trim()
}

function readJson(file, otherwise) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : otherwise
}

function writeJson(file, value) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}
