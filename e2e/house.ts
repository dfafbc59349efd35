import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium } from 'playwright-core'

/** The product as a user starts it: a process of its own, ports and a data folder of its own. */
export interface House {
  url: string
  storeUrl: string
  mailboxUrl: string
  dataDir: string
  output(): string
  /** kill -9 of the server process; the database it started lives on. */
  kill(): Promise<void>
  /** Starts it again on the same folder. */
  start(): Promise<void>
  stop(): Promise<void>
}

export async function aHouse(env: Record<string, string> = {}): Promise<House> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'recoup-e2e-'))
  // As root the database runs as somebody else, and would be kept elsewhere if that user could not enter.
  chmodSync(dataDir, 0o711)
  const [port, storePort, mailboxPort, smtpPort] = await freePorts(4)
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
    async stop() {
      child.kill('SIGTERM')
      await until(async () => child.exitCode !== null || child.signalCode !== null, 15_000)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  await house.start()
  return house
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

const browsers = new Set<Browser>()

/** Those that were opened and not closed. */
export const openBrowsers = (): Browser[] => [...browsers].filter((browser) => browser.isConnected())

export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  browsers.add(browser)
  return browser
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = net.createServer()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as net.AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
