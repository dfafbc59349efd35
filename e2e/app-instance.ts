import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The product as a user starts it: its own process, ports and data folder. */
export interface AppInstance {
  url: string
  storeUrl: string
  mailboxUrl: string
  dataDir: string
  /** Port of the database in the data folder, while it runs. */
  databaseUrl(): string
  output(): string
  /** kill -9 of the server process; its database keeps running. */
  kill(): Promise<void>
  /** Starts it again on the same folder. */
  start(): Promise<void>
  /** Stops server and database; the folder stays. */
  close(): Promise<void>
  stop(): Promise<void>
}

/** Starts a fresh installation. In the demo, history may still be being written when it is ready. */
export async function startAppInstance(env: Record<string, string> = {}): Promise<AppInstance> {
  return openInstance(createFolder('recoup-e2e-'), await findFreePorts(4), env)
}

/** On a busy machine a start of two seconds has taken more than a minute. */
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
    API_RATE_LIMIT: '1000000',
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
    databaseUrl: () => readDatabaseUrl(dataDir),
    output: () => output,
    async start() {
      const from = output.length
      child = spawn(process.execPath, ['server/main.ts'], { env: settings, stdio: ['ignore', 'pipe', 'pipe'] })
      child.stdout!.on('data', (chunk) => (output += chunk))
      child.stderr!.on('data', (chunk) => (output += chunk))
      const started = child
      // If the server exits, the next wait fails with its last log lines.
      started.once('exit', (code, signal) => {
        if (started === child && !isEnding)
          console.error(`the server ended (${code ?? signal}):\n${output.slice(-5_000)}`)
      })
      isEnding = false
      await waitUntil(async () => {
        if (child.exitCode !== null) throw new Error(`it did not start:\n${output}`)
        return isUp(output.slice(from))
      }, START_LIMIT_MS)
    },
    async kill() {
      isEnding = true
      child.kill('SIGKILL')
      await waitUntil(async () => child.exitCode !== null || child.signalCode !== null)
    },
    async close() {
      isEnding = true
      child.kill('SIGTERM')
      await waitUntil(async () => child.exitCode !== null || child.signalCode !== null)
    },
    async stop() {
      await instance.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  await instance.start()
  return instance
}

/** The server answers earlier, but until the demo store has a capture script, its carts are not recorded. */
export const isUp = (output: string): boolean => output.includes('Recoup is ready')

/** Reads port and socket folder of a running instance's database: lines 4 and 5 of `postmaster.pid`. */
export function readDatabaseUrl(dataDir: string): string {
  const file = path.join(dataDir, 'postgres', 'pgdata', 'postmaster.pid')
  const [, , , port, folder] = readFileSync(file, 'utf8').split('\n')
  return `postgres://app@/recoup?host=${encodeURIComponent(folder!.trim())}&port=${port!.trim()}`
}

function createFolder(prefix: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), prefix))
  // When we are root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o711)
  return folder
}

/** Polls until the condition holds. */
export async function waitUntil(isSo: () => Promise<boolean>, limitMs = 110_000, everyMs = 250): Promise<void> {
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

export async function listMails(instance: Pick<AppInstance, 'mailboxUrl'>, address: string): Promise<MailSummary[]> {
  const reply = await fetch(`${instance.mailboxUrl}/api/messages?to=${encodeURIComponent(address)}`)
  return ((await reply.json()) as { messages: MailSummary[] }).messages
}

export async function readMail(
  instance: Pick<AppInstance, 'mailboxUrl'>,
  id: number,
): Promise<{ html: string; text: string; raw: string }> {
  return (await fetch(`${instance.mailboxUrl}/api/messages/${id}`)).json() as Promise<{
    html: string
    text: string
    raw: string
  }>
}

/** Below the system's ephemeral ports, so no other process gets one while its instance restarts. */
export async function findFreePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    if (!ports.includes(port) && (await isFree(port))) ports.push(port)
  }
  return ports
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
