import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SECRET } from './lab.ts'

// Starts the product as a separate process.

export interface Server {
  url: string
  pid: number
  /** Time from process start to the first successful /readyz. */
  readyAfterMs: number
  stop(): Promise<void>
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>
}

/** Compile cache of the servers started by this process. */
const compiled = mkdtempSync(path.join(os.tmpdir(), 'recoup-bench-compiled-'))
process.on('exit', () => rmSync(compiled, { recursive: true, force: true }))

export async function startServer(env: Record<string, string>): Promise<Server> {
  const port = await freePort()
  const dataDir = env.DATA_DIR ?? mkdtempSync(path.join(os.tmpdir(), 'recoup-bench-'))
  const settings = {
    ...process.env,
    DEMO: 'off',
    LOG_LEVEL: 'warn',
    APP_SECRET: SECRET,
    PORT: String(port),
    API_RATE_LIMIT: '1000000',
    DATA_DIR: dataDir,
    NODE_COMPILE_CACHE: compiled,
  }
  const startedAt = performance.now()
  // Same flags as scripts/start.mjs; the first server of a benchmark has an empty compile cache.
  const child = spawn(process.execPath, ['--max-semi-space-size=4', 'server/main.ts'], {
    env: { ...settings, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error('the server did not start')
    await sleep(5)
  }
  const readyAfterMs = performance.now() - startedAt
  const end = (signal: NodeJS.Signals) => () => stop(child, signal, env.DATA_DIR ? null : dataDir)
  return { url, pid: child.pid!, readyAfterMs, stop: end('SIGTERM'), kill: end('SIGKILL') }
}

async function stop(child: ChildProcess, signal: NodeJS.Signals, dataDir: string | null): Promise<void> {
  child.kill(signal)
  while (child.exitCode === null && child.signalCode === null) await sleep(20)
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
}

async function freePort(): Promise<number> {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
