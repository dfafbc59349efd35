// Migrates a database to this code's schema, or explains in one sentence why it cannot.

import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../config/startup-errors.ts'
import { VERSION } from '../config/version.ts'
import { isDatabaseUnavailable } from '../db/db-unavailable.ts'
import { knownMigrations, type Migration } from './files.ts'
import * as sql from './sql.ts'

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
export async function migrate(pool: sql.Pool, options: MigrateOptions = {}): Promise<string[]> {
  const known = options.migrations ?? (await knownMigrations())
  const wanted = known.filter(({ name }) => !options.only || options.only.has(name))
  if (findPending(await sql.readApplied(pool), known, wanted).length === 0) return []
  const holder = await pool.connect()
  try {
    await holdLock(holder, options)
    try {
      return await applyPending(pool, known, { ...options, wanted })
    } finally {
      await sql.unlock(holder).catch(() => {})
    }
  } finally {
    holder.release()
  }
}

/** Whether every migration of this code is applied; false for an empty database. */
export async function isMigrated(pool: sql.Pool): Promise<boolean> {
  const applied = await sql.readApplied(pool)
  if (typeof applied === 'string') return false
  const names = new Set(applied.map(({ name }) => name))
  return (await knownMigrations()).every(({ name }) => names.has(name))
}

async function holdLock(holder: sql.Client, { pause = sleep, say = () => {} }: MigrateOptions): Promise<void> {
  for (let attempt = 1; !(await sql.tryLock(holder)); attempt++) {
    if (attempt === 1) say('Another process of Recoup is updating the database. Waiting until it has finished.')
    await pause(ASK_AGAIN_MS)
  }
}

async function applyPending(
  pool: sql.Pool,
  known: readonly Migration[],
  options: MigrateOptions & { wanted: readonly Migration[] },
): Promise<string[]> {
  const client = await pool.connect()
  try {
    const pending = findPending(await sql.readApplied(client), known, options.wanted)
    await sql.createMigrationsTable(client)
    for (const migration of pending) await applyWithRetries(client, migration, options)
    return pending.map(({ name }) => name)
  } finally {
    client.release()
  }
}

/** Throws when database and code are incompatible. Nothing has changed at that point. */
function findPending(
  applied: Awaited<ReturnType<typeof sql.readApplied>>,
  known: readonly Migration[],
  wanted: readonly Migration[],
): Migration[] {
  if (applied === 'unknown') throw new StartupError(MADE_BEFORE_RELEASES)
  if (applied === 'none') return [...wanted]
  const ours = new Map(known.map((migration) => [migration.name, migration]))
  for (const { name, checksum, version } of applied) {
    const migration = ours.get(name)
    if (!migration) throw new StartupError(newerError(name, version))
    if (migration.checksum !== checksum) throw new StartupError(changedError(name, version))
  }
  const names = new Set(applied.map(({ name }) => name))
  const last = Math.max(0, ...applied.map(({ name }) => ours.get(name)!.number))
  const pending = wanted.filter(({ name }) => !names.has(name))
  const late = pending.find(({ number }) => number < last)
  if (late) {
    throw new StartupError(
      `The migration ${late.name} is missing in the database, though a later one was applied. Start the release that this database was last started with. Nothing was changed.`,
    )
  }
  return pending
}

const MADE_BEFORE_RELEASES =
  'The database was made by a development version of Recoup from before 0.1.0, and its tables cannot be taken over. Nothing was changed: start with an empty database (another DATA_DIR, or another database in DATABASE_URL); the version that made this one can still read it and export its accounts.'

const newerError = (name: string, version: string) =>
  `The database is newer than this Recoup: version ${version} applied the migration ${name}, which version ${VERSION} does not have. Start version ${version} or a later one, or restore a backup made before that update. Nothing was changed.`

const changedError = (name: string, version: string) =>
  `The migration ${name} is not the one this database was made with by version ${version}. Put the released file back (git checkout db/migrations). Nothing was changed.`

/** Retries with a short lock timeout. Other statements proceed between two attempts. */
async function applyWithRetries(client: sql.Client, migration: Migration, options: MigrateOptions): Promise<void> {
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

async function apply(client: sql.Client, migration: Migration, options: MigrateOptions): Promise<void> {
  const { version = VERSION, lockTimeoutMs = LOCK_TIMEOUT_MS } = options
  if (!migration.alone) return sql.applyFile(client, migration, { version, lockTimeoutMs })
  const { index, isDrop } = migration.alone
  const isValid = isDrop ? null : await sql.isIndexValid(client, index)
  if (isValid === false) await sql.dropIndex(client, index)
  // Already valid: an interrupted attempt built the index without recording it.
  if (isValid !== true) await sql.applyAlone(client, migration)
  await sql.record(client, migration, version)
}

/** A broken connection, a full disk and a missing privilege have their own messages. */
function explainError({ name }: Migration, error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string }
  if (isDatabaseUnavailable(error) || code === undefined || code === '42501') return error
  const sentence = `The migration ${name} failed and was rolled back: ${message}. Start the version from before the update again, and report this. What was applied before it stays.`
  return new StartupError(sentence, { cause: error })
}
