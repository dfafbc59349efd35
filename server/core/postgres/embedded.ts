// Starts or adopts the bundled PostgreSQL, reached over a Unix socket only: no TCP port, password or installation.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findPrivateFolder, StartupError } from '../config/public.ts'
import {
  assertReadable,
  type Cluster,
  initialise,
  installBinaries,
  passwordFile,
  placeCluster,
  postgresEnv,
} from './cluster.ts'
import { findPostmaster, isAlive, type Postmaster } from './postmaster.ts'

export type EmbeddedPostgres = {
  /** A connection string for `pg`; on Unix it names the socket's folder. */
  url: string
  /** True when a killed process had left the server running. */
  adopted: boolean
  pid: number
  /** Stops the server, started or adopted, and waits until it has ended. */
  stop(): Promise<void>
}

export type EmbeddedOptions = {
  dataDir: string
  /** Overrides server settings, e.g. `{ fsync: 'off' }` for a test cluster. */
  settings?: Readonly<Record<string, string>>
  /** Folder for the cluster when the database's user cannot enter the data folder (root's home, say). */
  elsewhere?: string
  /** Restarts the server when it ends unexpectedly: killed, or out of disk space. */
  isPersistent?: boolean
  /** Receives messages for the operator, in whole sentences. */
  say?: (sentence: string) => void
}

const DATABASE = 'recoup'
const ELSEWHERE = process.platform === 'darwin' ? '/usr/local/var/recoup' : '/var/lib/recoup'
/** On Unix the port only names the socket file. */
const PORT = 5432
const RETRY_FOR_MS = 20_000
const WATCH_EVERY_MS = 1_000
const MAX_WATCH_PAUSE_MS = 15_000
const UNREACHABLE_AFTER_MS = 15_000
/** Recovery after a power cut takes seconds with our settings, minutes on a slow disk. */
const RECOVERY_LIMIT_MS = 15 * 60_000
const MAX_LOG_BYTES = 10_000_000

/** Starts a data folder's database or adopts the running one, and creates the database `recoup` if missing. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, settings = {}, elsewhere = ELSEWHERE, say = () => {} } = options
  const cluster = placeCluster({ dataDir, elsewhere, say })
  assertReadable(cluster)
  const { server, adopted } = await adoptOrStart(cluster, settings)
  await createDatabase(cluster, server)
  const supervisor = options.isPersistent ? supervise(cluster, settings, server, say) : null
  return {
    url: connectionUrl(cluster, server, DATABASE),
    adopted,
    pid: server.pid,
    stop: async () => stop(cluster, supervisor ? await supervisor.end() : server),
  }
}

/** Watches a running server. `end` stops watching and returns the current one. */
function supervise(
  cluster: Cluster,
  settings: Readonly<Record<string, string>>,
  first: Postmaster,
  say: ReportMessage,
) {
  const ending = new AbortController()
  let server = first
  const watch = async () => {
    for (let pauseMs = WATCH_EVERY_MS; !ending.signal.aborted; ) {
      await sleep(pauseMs, undefined, { signal: ending.signal, ref: false }).catch(() => {})
      if (ending.signal.aborted || isAlive(server.pid)) continue
      try {
        say('The database has stopped unexpectedly. It is being restarted.')
        server = (await adoptOrStart(cluster, settings, first.port)).server
        say('The database is running again.')
        pauseMs = WATCH_EVERY_MS
      } catch (error) {
        say(error instanceof Error ? error.message : String(error))
        pauseMs = Math.min(pauseMs * 2, MAX_WATCH_PAUSE_MS)
      }
    }
  }
  const watched = watch()
  return {
    async end(): Promise<Postmaster> {
      ending.abort()
      await watched
      return server
    },
  }
}

type ReportMessage = (sentence: string) => void

async function adoptOrStart(cluster: Cluster, settings: Readonly<Record<string, string>>, port?: number) {
  const giveUpAt = Date.now() + RETRY_FOR_MS
  for (;;) {
    const running = findPostmaster(cluster.pgdata)
    if (running) {
      const server = fillAddress(cluster, running)
      if (await waitUntilReady(cluster, server, () => isAlive(server.pid))) return { server, adopted: true }
      continue // The server found was shutting down.
    }
    const bin = installBinaries(cluster)
    initialise(cluster, bin, { isDurable: settings.fsync !== 'off' })
    const started = await launch(cluster, bin, settings, port)
    if (typeof started !== 'string') return { server: started, adopted: false }
    if (!isTransient(started) || Date.now() > giveUpAt) {
      throw new StartupError(
        `The database did not start: ${started || 'it gave no reason'}. Its log is ${cluster.log}.`,
      )
    }
    await sleep(250)
  }
}

/** Just after a kill its children or its zombie still exist, or another start was faster. */
function isTransient(lastErrors: string) {
  return /another postmaster|still in use|already exists/i.test(lastErrors)
}

/** While a server starts, its pid file does not name the socket yet. */
function fillAddress(cluster: Cluster, found: Postmaster): Postmaster {
  return { pid: found.pid, port: found.port || PORT, socketDir: found.socketDir || socketFolder(cluster) }
}

function socketFolder(cluster: Cluster) {
  return findPrivateFolder(cluster.realDataDir, '-db', cluster.owner)
}

/** Starts the server and waits until it accepts connections. Returns its last log lines when it ended instead. */
async function launch(
  cluster: Cluster,
  bin: string,
  settings: Readonly<Record<string, string>>,
  samePort?: number,
): Promise<Postmaster | string> {
  const socketDir = socketFolder(cluster)
  const port = samePort ?? (process.platform === 'win32' ? await findFreePort() : PORT)
  const all = Object.entries({ ...serverSettings(socketDir), ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const log = openLog(cluster)
  const logStart = fs.fstatSync(log).size
  // Detached: Ctrl-C reaches only the app, which drains before it stops the database. The log file survives a killed
  // app.
  const child = spawn(path.join(bin, 'postgres'), ['-D', cluster.pgdata, '-p', String(port), ...all], {
    ...cluster.owner,
    cwd: cluster.home,
    env: postgresEnv(),
    detached: true,
    stdio: ['ignore', 'ignore', log],
  })
  fs.closeSync(log)
  child.unref()
  const problem = await waitForSpawn(child)
  if (problem) return problem.message
  const server = { pid: child.pid!, port, socketDir }
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const isReady = await waitUntilReady(cluster, server, isRunning)
  if (isReady && findPostmaster(cluster.pgdata)?.pid === child.pid) return server
  // Another start's server answered; ours sees it and ends.
  while (isRunning()) await sleep(20)
  return readLastErrors(cluster, logStart)
}

function serverSettings(socketDir: string): Record<string, string> {
  const onWindows = process.platform === 'win32'
  return {
    listen_addresses: onWindows ? '127.0.0.1' : '',
    ...(onWindows ? {} : { unix_socket_directories: socketDir, unix_socket_permissions: '0700' }),
    ...(process.platform === 'darwin' ? { wal_sync_method: 'fsync_writethrough' } : {}),
    shared_buffers: `${sharedBuffersMb()}MB`,
    timezone: 'UTC',
    // Compiling costs more time than any of our statements takes.
    jit: 'off',
  }
}

/** A quarter of the available memory (a container's share, not its host's), at most 1 GB. */
function sharedBuffersMb() {
  const usable = Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return Math.max(32, Math.min(1024, Math.floor(usable / 4 / 2 ** 20)))
}

function openLog(cluster: Cluster) {
  const size = fs.statSync(cluster.log, { throwIfNoEntry: false })?.size ?? 0
  if (size > MAX_LOG_BYTES) fs.renameSync(cluster.log, `${cluster.log}.1`)
  return fs.openSync(cluster.log, 'a', 0o600)
}

function waitForSpawn(child: ChildProcess): Promise<Error | null> {
  const { promise, resolve } = Promise.withResolvers<Error | null>()
  child.once('spawn', () => resolve(null))
  child.once('error', resolve)
  return promise
}

function readLastErrors(cluster: Cluster, logStart: number) {
  const logText = fs.readFileSync(cluster.log).subarray(logStart).toString()
  const lines = logText.split('\n').filter((line) => /FATAL|PANIC|ERROR|HINT/.test(line))
  return (lines.length > 0 ? lines : logText.trim().split('\n').slice(-2))
    .map((line) => line.replace(/^.*?(FATAL|PANIC|ERROR|HINT): +/, ''))
    .join(' ')
}

/**
 * Waits until the server accepts connections; false when it ended. Recovery may take long, but an unreachable server
 * fails.
 */
async function waitUntilReady(cluster: Cluster, server: Postmaster, isRunning: () => boolean): Promise<boolean> {
  const begun = Date.now()
  let lastReplyAt = begun
  while (Date.now() - begun < RECOVERY_LIMIT_MS) {
    const failure = await tryConnection(connectionUrl(cluster, server, 'postgres'))
    if (failure === null) return true
    if (!isRunning()) return false
    if (isServerReply(failure)) lastReplyAt = Date.now()
    if (Date.now() - lastReplyAt > UNREACHABLE_AFTER_MS) break
    await sleep(30)
  }
  // This may be a running Recoup's database whose temporary folder is invisible to us, so we never stop it.
  throw new StartupError(
    `The database in ${cluster.pgdata} is running (process ${server.pid}) but cannot be reached in ${server.socketDir}. Stop that process (kill -INT ${server.pid}) and start again.`,
  )
}

/** SQLSTATEs of a server that starts, recovers, stops or has no free connection: it exists. */
function isServerReply(failure: unknown) {
  return ['57P03', '57P01', '53300'].includes((failure as { code?: string }).code ?? '')
}

async function tryConnection(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return null
  } catch (error) {
    return error
  }
}

async function createDatabase(cluster: Cluster, server: Postmaster) {
  const client = new pg.Client({ connectionString: connectionUrl(cluster, server, 'postgres') })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`create database ${DATABASE}`)
  } catch (error) {
    // Another start created it at the same moment.
    if (!['42P04', '23505'].includes((error as { code?: string }).code ?? '')) throw error
  } finally {
    await client.end()
  }
}

function connectionUrl(cluster: Cluster, { port, socketDir }: Postmaster, database: string) {
  if (process.platform !== 'win32')
    return `postgres://app@/${database}?host=${encodeURIComponent(socketDir)}&port=${port}`
  return `postgres://app:${fs.readFileSync(passwordFile(cluster), 'utf8')}@127.0.0.1:${port}/${database}`
}

/** Fast shutdown: rolls back open transactions and writes everything to disk. */
async function stop(cluster: Cluster, server: Postmaster) {
  if (findPostmaster(cluster.pgdata)?.pid !== server.pid) return
  if (process.platform === 'win32') {
    spawnSync(path.join(installBinaries(cluster), 'pg_ctl'), ['stop', '-D', cluster.pgdata, '-m', 'fast'], {
      stdio: 'ignore',
    })
    return
  }
  process.kill(server.pid, 'SIGINT')
  while (isAlive(server.pid)) await sleep(20)
  fs.rmSync(server.socketDir, { recursive: true, force: true })
}

function findFreePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const server = net.createServer().once('error', reject)
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as net.AddressInfo
    server.close(() => resolve(port))
  })
  return promise
}
