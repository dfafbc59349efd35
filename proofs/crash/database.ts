import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { migrate } from '../../server/core/database/migrate.ts'
import { type Db, openDb, openPool } from '../../server/core/db/db.ts'
import { startEmbedded } from '../../server/core/postgres/embedded.ts'
import { findPostmaster } from '../../server/core/postgres/postmaster.ts'

/** A PostgreSQL with durable writes, managed by the product's own code, for several workers. */
export interface Database {
  db: Db
  socketPath: string
  /** kill -9 of the postmaster and all its children. */
  kill(): void
  stop(): Promise<void>
}

export async function startDatabase(folder: string): Promise<Database> {
  const server = await startEmbedded({ dataDir: folder, isPersistent: true })
  const moved = path.join(folder, 'postgres-location')
  const home = fs.existsSync(moved) ? fs.readFileSync(moved, 'utf8').trim() : path.join(folder, 'postgres')
  const pgdata = path.join(home, 'pgdata')
  const { socketDir, port } = findPostmaster(pgdata)!
  const pool = openPool({ url: server.url, max: 3 })
  await migrate(pool)
  const killNow = () => {
    const postmaster = findPostmaster(pgdata)?.pid
    if (postmaster) killHard(postmaster)
  }
  // It is detached and would outlive this process.
  process.once('exit', killNow)
  return {
    db: openDb(pool),
    socketPath: path.join(socketDir, `.s.PGSQL.${port}`),
    kill() {
      const postmaster = findPostmaster(pgdata)?.pid
      if (!postmaster) throw new Error('the database is not running')
      const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' })
      for (const pid of [postmaster, ...children.trim().split(/\s+/).map(Number)]) killHard(pid)
    },
    async stop() {
      process.off('exit', killNow)
      await pool.end()
      await server.stop()
      fs.rmSync(home, { recursive: true, force: true })
    },
  }
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It exited by itself meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
