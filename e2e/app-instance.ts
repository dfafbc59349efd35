import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { move } from './move.ts'

/** The product as a user starts it: a process of its own, ports and a data folder of its own. */
export interface AppInstance {
  url: string
  storeUrl: string
  mailboxUrl: string
  dataDir: string
  /** Of the database in the data folder, while it runs. */
  databaseUrl(): string
  output(): string
  /** `npm run confirm-live`; what it said. */
  confirmLive(): Promise<string>
  /** kill -9 of the server process; the database it started lives on. */
  kill(): Promise<void>
  /** Starts it again on the same folder. */
  start(): Promise<void>
  /** Ends the server and the database; the folder stays. */
  close(): Promise<void>
  stop(): Promise<void>
}

/** A house nobody has lived in: the demo's past is written while it can already be looked at. */
export async function anAppInstance(env: Record<string, string> = {}): Promise<AppInstance> {
  return openInstance(aFolder('recoup-e2e-'), await freePorts(4), env)
}

/**
 * A house whose demo has its past. Made once and copied: ninety days cost half a minute. What the demo knows of its store holds the
 * store's address, so that all copies of a pattern have the same ports, one after the other.
 */
export async function aSeededInstance(env: Record<string, string> = {}): Promise<AppInstance> {
  const pattern = takePattern()
  const ports = readJson<number[]>(`${pattern}.ports`) ?? (await portsOfNew(pattern))
  const dataDir = aFolder('recoup-e2e-')
  copyInstance(pattern, dataDir)
  const instance = await openInstance(dataDir, ports, env)
  await confirmLive(instance)
  const stop = async () => {
    await instance.stop()
    rmSync(`${pattern}.taken`, { recursive: true })
  }
  return { ...instance, stop }
}

/** The first one whose ports nobody uses, until its house is stopped. There are as many as there ever were houses at a time. */
function takePattern(): string {
  for (let number = 1; ; number++) {
    const pattern = path.join(inject('instances'), `pattern-${number}`)
    if (isFirstToMake(`${pattern}.taken`)) return pattern
  }
}

/** Of two processes that make the same folder, one does. */
function isFirstToMake(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** The first one is furnished, the others are copies of it, moved to ports of their own. */
async function portsOfNew(pattern: string): Promise<number[]> {
  const firstFile = path.join(inject('instances'), 'first.json')
  let isOurs = false
  const isOursNow = () => {
    isOurs = isFirstToMake(`${firstFile}.lock`)
    return isOurs
  }
  await until(async () => existsSync(firstFile) || isOursNow(), 400_000)
  const ports = isOurs
    ? await furnish(pattern).catch((error) => {
        rmSync(`${firstFile}.lock`, { recursive: true })
        throw error
      })
    : await movedCopy(readJson<{ pattern: string; ports: number[] }>(firstFile)!, pattern)
  writeWhole(`${pattern}.ports`, ports)
  if (isOurs) writeWhole(firstFile, { pattern, ports })
  return ports
}

async function movedCopy(first: { pattern: string; ports: number[] }, pattern: string): Promise<number[]> {
  mkdirSync(pattern, { mode: 0o711 })
  copyInstance(first.pattern, pattern)
  const ports = await freePorts(4)
  await move(pattern, first.ports, ports)
  return ports
}

/** Of all there are, those of closed houses too. */
const portsOfPatterns = () =>
  readdirSync(inject('instances'))
    .filter((name) => name.endsWith('.ports'))
    .flatMap((name) => readJson<number[]>(path.join(inject('instances'), name)) ?? [])

/** Owners are kept: as root, the database belongs to somebody else. */
const copyInstance = (from: string, to: string) => execFileSync('cp', ['-a', `${from}/.`, to])

const readJson = <T>(file: string) => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : null)

/** Nobody finds half of it. */
function writeWhole(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, JSON.stringify(value))
  renameSync(`${file}.new`, file)
}

/** Has an account in every furnished house. */
export const KEEPER = 'keeper@houses.example'

/** A copy sends nothing before it is confirmed on the server to be the live one. */
async function confirmLive(instance: AppInstance): Promise<void> {
  const keeper = { name: 'Keeper', email: KEEPER, password: 'four pots on Kiln Road' }
  const headers = { 'content-type': 'application/json' }
  await fetch(`${instance.url}/api/auth/register`, { method: 'POST', headers, body: JSON.stringify(keeper) })
  const said = await instance.confirmLive()
  if (!said.includes('live installation')) throw new Error(`not confirmed: ${said}`)
}

/** The ports it was furnished at. */
async function furnish(dataDir: string): Promise<number[]> {
  mkdirSync(dataDir, { mode: 0o711 })
  const ports = await freePorts(4)
  const instance = await openInstance(dataDir, ports, { LOG_LEVEL: 'info' })
  await until(async () => instance.output().includes('demo.history-made'), 380_000).catch((error) => {
    throw new Error(`the demo got no past:\n${instance.output().slice(-4_000)}`, { cause: error })
  })
  await instance.close()
  return ports
}

/** Where many others compute, a start of two seconds has taken more than a minute. */
const START_LIMIT_MS = 180_000

async function openInstance(dataDir: string, ports: number[], env: Record<string, string>): Promise<AppInstance> {
  const [port, storePort, mailboxPort, smtpPort] = ports
  const settings = {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: String(port),
    DEMO_STORE_PORT: String(storePort),
    MAILBOX_PORT: String(mailboxPort),
    MAILBOX_SMTP_PORT: String(smtpPort),
    LOG_LEVEL: 'warn',
    DATABASE_URL: '',
    ...env,
  }
  let output = ''
  let child: ChildProcess
  let isEnding = false
  const instance: AppInstance = {
    url: `http://localhost:${port}`,
    storeUrl: `http://localhost:${storePort}`,
    mailboxUrl: `http://localhost:${mailboxPort}`,
    dataDir,
    databaseUrl: () => urlOf(path.join(dataDir, 'postgres', 'pgdata')),
    output: () => output,
    async start() {
      child = spawn(process.execPath, ['server/main.ts'], { env: settings, stdio: ['ignore', 'pipe', 'pipe'] })
      child.stdout!.on('data', (chunk) => (output += chunk))
      child.stderr!.on('data', (chunk) => (output += chunk))
      const started = child
      // A server that ends by itself fails whatever is looked at next; its last lines say why.
      started.once('exit', (code, signal) => {
        if (started === child && !isEnding)
          console.error(`the server ended (${code ?? signal}):\n${output.slice(-5_000)}`)
      })
      isEnding = false
      await until(async () => {
        if (child.exitCode !== null) throw new Error(`it did not start:\n${output}`)
        return (await fetch(`${instance.url}/readyz`).catch(() => null))?.ok ?? false
      }, START_LIMIT_MS)
    },
    confirmLive: async () =>
      (await promisify(execFile)(process.execPath, ['server/instance/confirm.ts'], { env: settings })).stdout,
    async kill() {
      isEnding = true
      child.kill('SIGKILL')
      await until(async () => child.exitCode !== null || child.signalCode !== null, 5_000)
    },
    async close() {
      isEnding = true
      child.kill('SIGTERM')
      await until(async () => child.exitCode !== null || child.signalCode !== null, 15_000)
    },
    async stop() {
      await instance.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  await instance.start()
  return instance
}

/** Lines 4 and 5 of what a running PostgreSQL says of itself: its port and the folder of its socket. */
function urlOf(pgdata: string): string {
  const [, , , port, folder] = readFileSync(path.join(pgdata, 'postmaster.pid'), 'utf8').split('\n')
  return `postgres://app@/recoup?host=${encodeURIComponent(folder!.trim())}&port=${port!.trim()}`
}

function aFolder(prefix: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), prefix))
  // As root the database runs as somebody else, and would be kept elsewhere if that user could not enter.
  chmodSync(folder, 0o711)
  return folder
}

/** Asks again and again until it is so. */
export async function until(isSo: () => Promise<boolean>, limitMs: number, everyMs = 250): Promise<void> {
  const end = Date.now() + limitMs
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`not so after ${limitMs} ms`)
    await sleep(everyMs)
  }
}

export interface MailSummary {
  id: number
  to: string
  subject: string
}

export async function mailsTo(instance: AppInstance, address: string): Promise<MailSummary[]> {
  const reply = await fetch(`${instance.mailboxUrl}/api/messages?to=${encodeURIComponent(address)}`)
  return ((await reply.json()) as { messages: MailSummary[] }).messages
}

export async function readMail(
  instance: AppInstance,
  id: number,
): Promise<{ html: string; text: string; raw: string }> {
  return (await fetch(`${instance.mailboxUrl}/api/messages/${id}`)).json() as Promise<{
    html: string
    text: string
    raw: string
  }>
}

/** Below those the system hands out itself: nobody else is given one while its house is closed for a moment. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  const ofOthers = portsOfPatterns()
  while (ports.length < count) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    if (![...ports, ...ofOthers].includes(port) && (await isFree(port))) ports.push(port)
  }
  return ports
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
