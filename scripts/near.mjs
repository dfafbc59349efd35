// `npm run near`: quick checks during development. Type check, lint of the changed files, and the tests nearest to the
// changes since the last commit (or a given commit), within a minute or two. Only `npm test` runs everything.

import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
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
  waitForExit,
} from './prepare.mjs'
import { openRun, readLastTimes } from './run.mjs'

const ROOTS = [
  'server',
  'shared',
  'web',
  'storefront',
  'demo',
  'providers',
  'test',
  'screens',
  'e2e',
  'scripts',
  'proofs',
]
const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g
/** Total time of the chosen tests, by their last run. */
const BUDGET_MS = { web: 40_000, other: 90_000 }
/** Assumed time of a file without a recorded time. */
const DEFAULT_MS = 3_000

await main(async () => {
  process.chdir(root)
  await ensureInstalled()
  const node = findNode26()
  const changed = listChangedFiles(process.argv[2] ?? 'HEAD')
  if (changed.length === 0) {
    console.log('Nothing has changed.')
    return 0
  }
  const startedAt = performance.now()
  const { chosen, left: others } = chooseTests(changed)
  const codes = await Promise.all([
    checkTypes(node),
    lint(node, changed).then(async (code) => (await runTests(node, chosen)) || code),
  ])
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
  console.log(`\n${chosen.length} test files nearest to the change, ${others} more only in npm test; ${seconds} s`)
  return codes.some(Boolean) ? 1 : 0
})

function listChangedFiles(since) {
  const ask = (...args) => spawnSync('git', args, { encoding: 'utf8' }).stdout.split('\n').filter(Boolean)
  const all = [
    ...ask('diff', '--name-only', '--diff-filter=d', since),
    ...ask('ls-files', '--others', '--exclude-standard'),
  ]
  return [...new Set(all)]
}

function checkTypes(node) {
  return runQuietly(node, [
    tool('tsc'),
    '-p',
    '.',
    '--checkers',
    '1',
    '--incremental',
    '--tsBuildInfoFile',
    path.join('node_modules', '.cache', 'recoup', 'types.tsbuildinfo'),
  ])
}

function lint(node, changed) {
  const files = changed.filter((file) => /\.(tsx?|mjs|js|json)$/.test(file) && file !== 'package-lock.json')
  return files.length > 0
    ? runQuietly(node, [tool('biome'), 'check', '--no-errors-on-unmatched', ...files])
    : Promise.resolve(0)
}

async function runTests(node, files) {
  if (files.length === 0) return 0
  const isScreen = files.some((file) => /^(screens|storefront|e2e)\//.test(file))
  if (isScreen) await ensureWebBuilt(node)
  const run = openRun()
  const chromium = isScreen ? await ensureChromium() : null
  const args = [tool('vitest'), 'run', '--reporter=dot', '--reporter=./test/reporter.ts', ...files]
  const projects = ['unit', 'screens', 'journeys'].flatMap((name) => ['--project', name])
  const env = buildToolEnv(chromium ? { CHROMIUM_PATH: chromium } : {})
  const code = await waitForExit(spawn(node, [...args, ...projects], { cwd: root, stdio: 'inherit', env }))
  const { failed, leftRunning } = run.close()
  return code || failed || leftRunning.length
}

/** Chooses the nearest tests within the time budget. */
function chooseTests(changed) {
  const isWeb = changed.every((file) => !/^(server|shared|demo|providers|db|test)\//.test(file))
  const distances = computeDistances(changed)
  for (const [file, distance] of findScreenTests(distances)) {
    distances.set(file, Math.min(distances.get(file) ?? Number.POSITIVE_INFINITY, distance))
  }
  const tests = [...distances]
    .filter(([file]) => /\.test\.tsx?$/.test(file) && !/^proofs\/(?!lift\/|simulator\/)/.test(file))
    // Journeys start three instances, so they run only if one of their own files has changed.
    .filter(([file, distance]) => !file.startsWith('e2e/') || distance === 0)
    .sort(([, a], [, b]) => a - b)
    .map(([file]) => file)
  const times = readLastTimes()
  let budgetMs = isWeb ? BUDGET_MS.web : BUDGET_MS.other
  const chosen = []
  for (const file of tests) {
    const ms = times[file] ?? DEFAULT_MS
    if (ms > budgetMs && chosen.length > 0) continue
    chosen.push(file)
    budgetMs -= ms
  }
  return { chosen, left: tests.length - chosen.length }
}

/** Number of imports between each file and the nearest of `files` that it imports. */
function computeDistances(files) {
  const importers = new Map()
  for (const file of ROOTS.flatMap((folder) => listFiles(folder)).filter((name) => /\.(tsx?|mjs)$/.test(name))) {
    for (const [, to] of fs.readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const target = path.join(path.dirname(file), to)
      importers.set(target, [...(importers.get(target) ?? []), file])
    }
  }
  const distances = new Map(files.map((file) => [file, 0]))
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1)
  }
  return distances
}

/** Tests of the built app do not import it. Their distance is that of the screen components they open, plus one. */
function findScreenTests(distances) {
  const files = Object.fromEntries(
    [...fs.readFileSync('web/screens.ts', 'utf8').matchAll(/import\('\.\/([^']+)'\),\s*'(\w+)'/g)].map(
      ([, file, name]) => [name, `web/${file}`],
    ),
  )
  const paths = [...fs.readFileSync('shared/screens.ts', 'utf8').matchAll(/path: '([^']+)'[^}]*?loader: '(\w+)'/g)]
  const near = paths.flatMap(([, address, loader]) => {
    const distance = distances.get(files[loader])
    return distance === undefined ? [] : [[address, distance]]
  })
  return listFiles('screens')
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => {
      const source = fs.readFileSync(file, 'utf8')
      const found = near.filter(([address]) => source.includes(`'${address}`) || source.includes(`\`${address}`))
      return found.length > 0 ? [[file, Math.min(...found.map(([, distance]) => distance)) + 1]] : []
    })
}
