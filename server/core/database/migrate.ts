// Migrates a database to this code's schema, or explains in one sentence why it cannot.

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StartupError, VERSION } from '../config/public.ts'
import { isDatabaseUnavailable } from '../db/public.ts'
import { loadMigrations, type Migration } from './files.ts'

export interface MigrateOptions {
  /** Applies only these migrations: a backup is restored into the schema it was made from. */
  only?: ReadonlySet<string>
  migrations?: readonly Migration[]
  version?: string
  /**
   * Lock timeout per statement. Writers to the table queue behind the waiting statement, so it is short and retried.
   */
  lockTimeoutMs?: number
  lockAttempts?: number
  pause?: (ms: number) => Promise<void>
  say?: (sentence: string) => void
}

const LOCK_TIMEOUT_MS = 2_000
const LOCK_ATTEMPTS = 30
const MAX_PAUSE_MS = 5_000
const ASK_AGAIN_MS = 250

/**
 * Applies pending migrations, oldest first, each file in its own transaction. Of several processes that start together
 * one migrates and the others wait. Takes two connections of the pool. Returns the names of the applied files.
 */
export async function migrate(pool: Pool, options: MigrateOptions = {}): Promise<string[]> {
  const known = options.migrations ?? (await loadMigrations())
  const selected = known.filter(({ name }) => !options.only || options.only.has(name))
  if (findPending(await readApplied(pool), known, selected).length === 0) return []
  const holder = await pool.connect()
  try {
    await holdLock(holder, options)
    try {
      return await applyPending(pool, known, { ...options, selected })
    } finally {
      await unlock(holder).catch(() => {})
    }
  } finally {
    holder.release()
  }
}

/** Whether every migration of this code is applied; false for an empty database. */
export async function isMigrated(pool: Pool): Promise<boolean> {
  const applied = await readApplied(pool)
  if (typeof applied === 'string') return false
  const names = new Set(applied.map(({ name }) => name))
  return (await loadMigrations()).every(({ name }) => names.has(name))
}

async function holdLock(holder: Client, { pause = sleep, say = () => {} }: MigrateOptions): Promise<void> {
  for (let attempt = 1; !(await tryLock(holder)); attempt++) {
    if (attempt === 1) say('Another Recoup process is updating the database. Waiting for it to finish.')
    await pause(ASK_AGAIN_MS)
  }
}

async function applyPending(
  pool: Pool,
  known: readonly Migration[],
  options: MigrateOptions & { selected: readonly Migration[] },
): Promise<string[]> {
  const client = await pool.connect()
  try {
    const pending = findPending(await readApplied(client), known, options.selected)
    await createMigrationsTable(client)
    for (const migration of pending) await applyWithRetries(client, migration, options)
    return pending.map(({ name }) => name)
  } finally {
    client.release()
  }
}

/** Throws when database and code are incompatible. Nothing has changed at that point. */
function findPending(
  applied: Awaited<ReturnType<typeof readApplied>>,
  known: readonly Migration[],
  selected: readonly Migration[],
): Migration[] {
  if (applied === 'unknown') throw new StartupError(PRERELEASE_DATABASE)
  if (applied === 'none') return [...selected]
  const ours = new Map(known.map((migration) => [migration.name, migration]))
  for (const { name, checksum, version } of applied) {
    const migration = ours.get(name)
    if (!migration) throw new StartupError(newerError(name, version))
    if (migration.checksum !== checksum) throw new StartupError(changedError(name, version))
  }
  const names = new Set(applied.map(({ name }) => name))
  const last = Math.max(0, ...applied.map(({ name }) => ours.get(name)!.number))
  const pending = selected.filter(({ name }) => !names.has(name))
  const late = pending.find(({ number }) => number < last)
  if (late) {
    throw new StartupError(
      `The migration ${late.name} is missing in the database, though a later one was applied. Start the release that this database was last started with. Nothing was changed.`,
    )
  }
  return pending
}

const PRERELEASE_DATABASE =
  'The database was made by a development version of Recoup from before 0.1.0, and its tables cannot be taken over. Nothing was changed: start with an empty database (another DATA_DIR, or another database in DATABASE_URL); the version that made this one can still read it and export its accounts.'

const newerError = (name: string, version: string) =>
  `The database is newer than this Recoup: version ${version} applied the migration ${name}, which version ${VERSION} does not have. Start version ${version} or a later one, or restore a backup made before that update. Nothing was changed.`

const changedError = (name: string, version: string) =>
  `The migration ${name} is not the one this database was made with by version ${version}. Put the released file back (git checkout db/migrations). Nothing was changed.`

/** Retries with a short lock timeout. Other statements proceed between two attempts. */
async function applyWithRetries(client: Client, migration: Migration, options: MigrateOptions): Promise<void> {
  const { lockAttempts = LOCK_ATTEMPTS, pause = sleep } = options
  for (let attempt = 1; ; attempt++) {
    try {
      return await apply(client, migration, options)
    } catch (error) {
      if (!isBlocked(error)) throw explainError(migration, error)
      if (attempt >= lockAttempts) {
        throw new StartupError(
          `The migration ${migration.name} gave up after ${attempt} attempts: another program holds locks on a table it changes. Stop other processes of Recoup and long queries on this database, then start again. What was applied before it stays.`,
        )
      }
    }
    await pause(Math.min(100 * 2 ** attempt, MAX_PAUSE_MS))
  }
}

/** Lock timeout or deadlock: a retry may succeed. */
function isBlocked(error: unknown): boolean {
  return ['55P03', '40P01'].includes((error as { code?: string }).code ?? '')
}

async function apply(client: Client, migration: Migration, options: MigrateOptions): Promise<void> {
  const { version = VERSION, lockTimeoutMs = LOCK_TIMEOUT_MS } = options
  if (!migration.alone) return applyFile(client, migration, { version, lockTimeoutMs })
  const { index, isDrop } = migration.alone
  const isValid = isDrop ? null : await isIndexValid(client, index)
  if (isValid === false) await dropIndex(client, index)
  // Already valid: an interrupted attempt built the index without recording it.
  if (isValid !== true) await applyAlone(client, migration)
  await record(client, migration, version)
}

/** A broken connection, a full disk and a missing privilege have their own messages. */
function explainError({ name }: Migration, error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string }
  if (isDatabaseUnavailable(error) || code === undefined || code === '42501') return error
  const sentence = `The migration ${name} failed and was rolled back: ${message}. Start the version from before the update again, and report this. What was applied before it stays.`
  return new StartupError(sentence, { cause: error })
}

// Every statement of the migration runner, on plain connections: it runs before a schema exists.

type Pool = pg.Pool
type Client = pg.PoolClient

interface AppliedMigration {
  name: string
  checksum: string
  /** Version of Recoup that applied it. */
  version: string
}

/** `none`: an empty database. `unknown`: another program created a table of that name. */
async function readApplied(db: Pool | Client): Promise<AppliedMigration[] | 'none' | 'unknown'> {
  const { rows } = await db.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = to_regclass('migrations') and attnum > 0 and not attisdropped`,
  )
  if (rows.length === 0) return 'none'
  if (!rows.some(({ name }) => name === 'checksum')) return 'unknown'
  return (await db.query<AppliedMigration>('select name, checksum, version from migrations order by name')).rows
}

async function createMigrationsTable(db: Pool | Client): Promise<void> {
  await db.query(
    `create table if not exists migrations (
       name text primary key, checksum text not null, version text not null, applied_at timestamptz not null)`,
  )
}

/**
 * True when this transaction holds the migration lock. Transaction locks work through poolers. Does not block: a
 * waiting statement holds a snapshot, and a concurrent index build would wait for it.
 */
async function tryLock(client: Client): Promise<boolean> {
  await client.query('begin')
  const { rows } = await client.query<{ isMine: boolean }>('select pg_try_advisory_xact_lock(731205481) as "isMine"')
  if (rows[0]!.isMine) await client.query('set local idle_in_transaction_session_timeout = 0')
  else await client.query('rollback')
  return rows[0]!.isMine
}

async function unlock(client: Client): Promise<void> {
  await client.query('rollback')
}

const RECORD = 'insert into migrations values ($1, $2, $3, now()) on conflict (name) do nothing'

/** Applies the whole file or nothing. Records it first, so that a concurrent attempt fails on the duplicate. */
async function applyFile(
  client: Client,
  { name, checksum, text }: Migration,
  { version, lockTimeoutMs }: { version: string; lockTimeoutMs: number },
): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${Number(lockTimeoutMs)}`)
    await client.query('set local statement_timeout = 0')
    const { rowCount } = await client.query(RECORD, [name, checksum, version])
    if (rowCount === 1) await client.query(text)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

async function applyAlone(client: Client, { text }: Migration): Promise<void> {
  await client.query(text)
}

async function record(client: Client, { name, checksum }: Migration, version: string): Promise<void> {
  await client.query(RECORD, [name, checksum, version])
}

/** Null: no such index. An interrupted attempt leaves an invalid one, which slows every write. */
async function isIndexValid(client: Client, index: string): Promise<boolean | null> {
  const { rows } = await client.query<{ isValid: boolean }>(
    'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)',
    [index],
  )
  return rows[0]?.isValid ?? null
}

async function dropIndex(client: Client, index: string): Promise<void> {
  await client.query(`drop index concurrently if exists ${client.escapeIdentifier(index)}`)
}
