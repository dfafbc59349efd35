import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { confirmLive as liveEndpoint } from '../shared/instance.ts'
import { move } from './move.ts'

/** The product as a user starts it: a process of its own, ports and a data folder of its own. */
export interface House {
  url: string
  storeUrl: string
  mailboxUrl: string
  dataDir: string
  /** Of the database in the data folder, while it runs. */
  databaseUrl(): string
  output(): string
  /** kill -9 of the server process; the database it started lives on. */
  kill(): Promise<void>
  /** Starts it again on the same folder. */
  start(): Promise<void>
  /** Ends the server and the database; the folder stays. */
  close(): Promise<void>
  stop(): Promise<void>
}

/** A house nobody has lived in: the demo's past is written while it can already be looked at. */
export async function aHouse(env: Record<string, string> = {}): Promise<House> {
  return openHouse(aFolder('recoup-e2e-'), await freePorts(4), env)
}

/**
 * A house whose demo has its past. Made once and copied: ninety days cost half a minute. What the demo knows of its store holds the
 * store's address, so that all copies of a worker have the same ports, one after the other.
 */
export async function aFurnishedHouse(env: Record<string, string> = {}): Promise<House> {
  const pattern = path.join(inject('houses'), `worker-${process.env.VITEST_POOL_ID}`)
  const ports = readJson<number[]>(`${pattern}.ports`) ?? (await patternOf(pattern))
  const dataDir = aFolder('recoup-e2e-')
  copyHouse(pattern, dataDir)
  const house = await openHouse(dataDir, ports, env)
  await confirmLive(house)
  return house
}

/** The ports of this worker's pattern. The first worker that wants one furnishes it, the others move a copy of it to ports of their own. */
async function patternOf(pattern: string): Promise<number[]> {
  const firstFile = path.join(inject('houses'), 'first.json')
  let isOurs = false
  const tryToBeFirst = () => {
    try {
      mkdirSync(`${firstFile}.lock`)
      isOurs = true
    } catch {
      // Somebody else is at it.
    }
    return isOurs
  }
  await until(async () => existsSync(firstFile) || tryToBeFirst(), 400_000)
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
  copyHouse(first.pattern, pattern)
  const ports = await freePorts(4, first.ports)
  await move(pattern, first.ports, ports)
  return ports
}

/** Owners are kept: as root, the database belongs to somebody else. */
const copyHouse = (from: string, to: string) => execFileSync('cp', ['-a', `${from}/.`, to])

const readJson = <T>(file: string) => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : null)

/** Nobody finds half of it. */
function writeWhole(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, JSON.stringify(value))
  renameSync(`${file}.new`, file)
}

/** Has an account in every furnished house. */
export const KEEPER = 'keeper@houses.example'

/** A copy sends nothing before an owner has said that it is the live one; the demo's may not. */
async function confirmLive(house: House): Promise<void> {
  const ask = (path: string, headers: Record<string, string>, body?: object) =>
    fetch(house.url + path, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) })
  const keeper = { name: 'Keeper', email: KEEPER, password: 'four pots on Kiln Road' }
  const registered = await ask('/api/auth/register', { 'content-type': 'application/json' }, keeper)
  const { token } = (await registered.json()) as { token: string }
  const reply = await ask(liveEndpoint.path, { authorization: `Bearer ${token}` })
  if (!reply.ok) throw new Error(`not confirmed: ${await reply.text()}`)
}

/** The ports it was furnished at. */
async function furnish(dataDir: string): Promise<number[]> {
  mkdirSync(dataDir, { mode: 0o711 })
  const ports = await freePorts(4)
  const house = await openHouse(dataDir, ports, { LOG_LEVEL: 'info' })
  await until(async () => house.output().includes('demo.history-made'), 380_000).catch((error) => {
    throw new Error(`the demo got no past:\n${house.output().slice(-4_000)}`, { cause: error })
  })
  await house.close()
  return ports
}

async function openHouse(dataDir: string, ports: number[], env: Record<string, string>): Promise<House> {
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
  const house: House = {
    url: `http://localhost:${port}`,
    storeUrl: `http://localhost:${storePort}`,
    mailboxUrl: `http://127.0.0.1:${mailboxPort}`,
    dataDir,
    databaseUrl: () => urlOf(path.join(dataDir, 'postgres', 'pgdata')),
    output: () => output,
    async start() {
      child = spawn(process.execPath, ['server/main.ts'], { env: settings, stdio: ['ignore', 'pipe', 'pipe'] })
      child.stdout!.on('data', (chunk) => (output += chunk))
      child.stderr!.on('data', (chunk) => (output += chunk))
      await until(async () => {
        if (child.exitCode !== null) throw new Error(`it did not start:\n${output}`)
        return (await fetch(`${house.url}/readyz`).catch(() => null))?.ok ?? false
      }, 60_000)
    },
    async kill() {
      child.kill('SIGKILL')
      await until(async () => child.exitCode !== null || child.signalCode !== null, 5_000)
    },
    async close() {
      child.kill('SIGTERM')
      await until(async () => child.exitCode !== null || child.signalCode !== null, 15_000)
    },
    async stop() {
      await house.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  await house.start()
  return house
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

export async function mailsTo(house: House, address: string): Promise<MailSummary[]> {
  const reply = await fetch(`${house.mailboxUrl}/api/messages?to=${encodeURIComponent(address)}`)
  return ((await reply.json()) as { messages: MailSummary[] }).messages
}

export async function readMail(house: House, id: number): Promise<{ html: string; text: string; raw: string }> {
  return (await fetch(`${house.mailboxUrl}/api/messages/${id}`)).json() as Promise<{
    html: string
    text: string
    raw: string
  }>
}

/** Below those the system hands out itself: nobody else is given one while its house is closed for a moment. */
async function freePorts(count: number, but: readonly number[] = []): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    if (![...ports, ...but].includes(port) && (await isFree(port))) ports.push(port)
  }
  return ports
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
