import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

// A real PgBouncer in transaction mode with its defaults, before any PostgreSQL.

const PGBOUNCER = '/usr/sbin/pgbouncer'
export const missingPgBouncer = existsSync(PGBOUNCER)
  ? null
  : 'pgbouncer is not installed (Debian: apt-get install pgbouncer)'

export interface PgBouncer {
  /** The address of a database through PgBouncer. */
  buildUrl(database: string): string
  stop(): Promise<void>
}

export async function startPgBouncer(serverUrl: string): Promise<PgBouncer> {
  const { host, port, user, password } = new pg.Client(serverUrl)
  const own = await findFreePort()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'recoup-pgbouncer-'))
  const file = path.join(folder, 'pgbouncer.ini')
  const target = `host=${host} port=${port} user=${user}${password ? ` password=${password}` : ''}`
  writeFileSync(
    file,
    `[databases]\n* = ${target}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${own}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n`,
  )
  // PgBouncer refuses to run as root, and the socket of the test's PostgreSQL is open to its own user only.
  const owner = process.getuid?.() === 0 ? findUser(host) : undefined
  if (owner) for (const each of [folder, file]) chownSync(each, owner.uid, owner.gid)
  chmodSync(folder, 0o700)
  const child = spawn(PGBOUNCER, ['-q', file], { ...owner, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr!.on('data', (text) => {
    errors += text
  })
  while (!(await isOpen(own))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer did not start: ${errors}`)
    await sleep(20)
  }
  return {
    buildUrl: (database) => `postgres://${user}@127.0.0.1:${own}/${database}`,
    async stop() {
      await stopChild(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The owner of the socket's folder; user 65534 for a server reached by TCP. */
function findUser(host: string): { uid: number; gid: number } {
  if (!host.startsWith('/')) return { uid: 65_534, gid: 65_534 }
  const { uid, gid } = statSync(host)
  return { uid, gid }
}

async function stopChild(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

async function findFreePort(): Promise<number> {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
