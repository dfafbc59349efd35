import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../server/postgres/embedded.ts'
import { findPostmaster } from '../server/postgres/postmaster.ts'
import { hasRoomInMemory, MEMORY } from './memory.ts'

const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '128MB',
  max_wal_size: '256MB',
}
const RUN = 'recoup-test-run'
const USER = process.getuid?.() ?? 0
const NAME = `recoup-test-postgres-${USER}`
const LEFT_BEHIND_MS = 6 * 3_600_000

export type TestPostgres = {
  /** The database `recoup` on the test server; make templates and clones beside it. */
  url: string
  stop(): Promise<void>
}

/** One throw-away server for a test run, kept so that the next run starts in a moment. Runs at the same time share it. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const server = await startEmbedded({
    dataDir: folderInMemory() ?? folderOnDisk(),
    settings: SETTINGS,
    elsewhere: path.join(os.tmpdir(), 'recoup-tests'),
  })
  const lease = new pg.Client({ connectionString: server.url, application_name: RUN })
  lease.on('error', () => {})
  await lease.connect()
  return {
    url: server.url,
    async stop() {
      const others = await lease.query(
        'select 1 from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()',
        [RUN],
      )
      await lease.end()
      if (others.rowCount === 0) await server.stop()
    },
  }
}

/**
 * Of this clone. A new database is a thousand new files: on a disk that took eight times the CPU time, for each test file anew. null where
 * there is no such place or no room in it.
 */
function folderInMemory(): string | null {
  const folder = path.join(MEMORY, `${NAME}-${createHash('sha256').update(process.cwd()).digest('hex').slice(0, 12)}`)
  if (fs.existsSync(folder)) return folder
  if (!hasRoomInMemory()) return null
  removeLeftBehind()
  return folder
}

/** Memory is not given back by itself: of clones in which no test has been run for hours. */
function removeLeftBehind(): void {
  const ours = fs.readdirSync(MEMORY).filter((name) => name.startsWith(`${NAME}-`))
  for (const folder of ours.map((name) => path.join(MEMORY, name))) {
    const home = path.join(folder, 'postgres')
    const usedAt = fs.statSync(path.join(home, 'postgres.log'), { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    const isRunning = findPostmaster(path.join(home, 'pgdata'))
    if (!isRunning && usedAt < Date.now() - LEFT_BEHIND_MS) fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Per user, as a cluster belongs to the user that made it; in the temporary folder when the clone cannot be written. */
function folderOnDisk(): string {
  const cache = path.resolve('node_modules/.cache')
  try {
    fs.mkdirSync(cache, { recursive: true })
    fs.accessSync(cache, fs.constants.W_OK)
  } catch {
    return path.join(os.tmpdir(), NAME)
  }
  const folder = path.join(cache, NAME)
  // The temporary folder it may point to does not outlive a restart of the machine.
  fs.rmSync(path.join(folder, 'postgres-location'), { force: true })
  return folder
}
