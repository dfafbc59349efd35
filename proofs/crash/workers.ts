import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DatabaseProxy, startDatabaseProxy } from './proxy.ts'

/** One worker process of the product, with the proxy to its database. */
export interface WorkerProcess {
  proxy: DatabaseProxy
  kill(): void
  /** Restarts until it works, as a supervisor would. */
  start(): Promise<void>
  /** Stops gracefully, so others find the compiled files: a killed process does not write them. */
  end(): Promise<void>
  /** Last log lines if it exited without being killed, which must never happen. */
  readLastOutput(): string | null
  stop(): Promise<void>
}

export interface WorkerSettings {
  index: number
  folder: string
  socketPath: string
  mailPort: number
  secret: string
  pool: number
}

/** Not started yet. */
export async function startWorkerProcess(settings: WorkerSettings): Promise<WorkerProcess> {
  const proxy = await startDatabaseProxy(settings.index, settings.socketPath)
  const dataDir = path.join(settings.folder, `worker-${settings.index}`)
  fs.mkdirSync(dataDir, { mode: 0o711 })
  const env = {
    // Restarted after every kill from the same files.
    NODE_COMPILE_CACHE: path.join(settings.folder, 'compiled'),
    ...process.env,
    DATA_DIR: dataDir,
    DATABASE_URL: `postgres://app@127.0.0.1:${proxy.port}/recoup`,
    SMTP_URL: `smtp://127.0.0.1:${settings.mailPort}`,
    SMTP_POOL: String(settings.pool),
    APP_SECRET: settings.secret,
    ROLES: 'worker',
    DEMO: 'off',
    LOG_LEVEL: 'error',
  }
  let child: ChildProcess | null = null
  let readLastOutput: string | null = null
  const stopping = new AbortController()
  return {
    proxy,
    kill: () => void child?.kill('SIGKILL'),
    readLastOutput: () => readLastOutput,
    async start() {
      readLastOutput = null
      for (let isWorking = false; !isWorking && !stopping.signal.aborted; ) {
        const launched = launch(env)
        child = launched.child
        isWorking = await launched.isWorking
        if (isWorking) child.once('exit', (code) => (readLastOutput = code === null ? null : launched.output()))
        // The database may be down at the moment.
        else await sleep(500)
      }
    },
    end: () => killAndWait(child, 'SIGTERM'),
    async stop() {
      stopping.abort()
      proxy.stop()
      await killAndWait(child, 'SIGKILL')
    },
  }
}

async function killAndWait(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

function launch(env: NodeJS.ProcessEnv) {
  // The IPC channel stops it when we exit in any way (server/core/common/shutdown.ts).
  const child = spawn(process.execPath, ['server/main.ts'], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let output = ''
  const isWorking = new Promise<boolean>((resolve) => {
    const hear = (chunk: Buffer) => {
      output = (output + String(chunk)).slice(-5_000)
      if (output.includes('Recoup is ready')) resolve(true)
    }
    child.stdout!.on('data', hear)
    child.stderr!.on('data', hear)
    child.once('exit', () => resolve(false))
  })
  return { child, isWorking, output: () => output }
}
