import { migrate } from '../../server/core/database/migrate.ts'
import { openPool } from '../../server/core/db/db.ts'
import { cloneDatabase, replaceDatabase, runAsAdmin } from '../../test/global.ts'
import { startTestPostgres } from '../../test/postgres.ts'
import { makeRunFolder } from '../../test/run-folder.ts'
import { OWNER } from './owner.ts'
import { WITNESS_SQL } from './state.ts'

// Databases for scenarios: a clone of one migrated template per process.

export interface Databases {
  /** The server runs on this machine. */
  isHere: boolean
  /** Creates a database and returns its URL. */
  database(): Promise<string>
  clear(): Promise<void>
}

/**
 * Tables have few live and many dead rows: planning costs more than execution, and only an index scan is fast for sure.
 * Deadlocks are detected without the usual second.
 */
const SETTINGS = ['plan_cache_mode = force_generic_plan', 'enable_seqscan = off', "deadlock_timeout = '20ms'"]

export function createDatabases(server: string, template: string): Databases {
  const names: string[] = []
  return {
    isHere: false,
    async database() {
      const name = `recoup_simulator_${process.pid}_${Date.now().toString(36)}_${names.length}`
      names.push(name)
      await cloneDatabase(server, name, template)
      for (const setting of SETTINGS) await runAsAdmin(server, `alter database ${name} set ${setting}`)
      const url = replaceDatabase(server, name)
      await runAsAdmin(url, `${WITNESS_SQL}; ${OWNER}`)
      return url
    },
    async clear() {
      for (const name of names) await runAsAdmin(server, `drop database if exists ${name} with (force)`)
    },
  }
}

/** For use outside a test run: starts a server, or uses the one in `DATABASE_URL`. */
export async function openDatabases(): Promise<Databases> {
  const run = makeRunFolder()
  const postgres = process.env.DATABASE_URL ? null : await startTestPostgres(run.folder)
  const server = process.env.DATABASE_URL ?? postgres!.url
  const template = `recoup_simulator_template_${process.pid}_${Date.now().toString(36)}`
  await runAsAdmin(server, `create database ${template}`)
  const pool = openPool({ url: replaceDatabase(server, template), max: 2 })
  await migrate(pool)
  await pool.end()
  const databases = createDatabases(server, template)
  return {
    isHere: postgres !== null,
    database: databases.database,
    async clear() {
      await databases.clear()
      await runAsAdmin(server, `drop database if exists ${template} with (force)`)
      await postgres?.stop()
      run.remove()
    },
  }
}
