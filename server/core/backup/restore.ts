import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import { z } from 'zod'
import { createLogger } from '../common/public.ts'
import { StartupError, VERSION } from '../config/public.ts'
import { loadMigrations, migrate } from '../database/public.ts'
import { openDb, openPool } from '../db/public.ts'
import { type Job, startJobQueue } from '../jobs/jobs.ts'
import { type ArchiveReader, deriveSecretCheck, openArchive } from './archive.ts'
import type { Client, CopiedTable, SequenceValue } from './sql.ts'
import * as sql from './sql.ts'
import { quoted } from './sql.ts'

// Restores a backup into an empty database. The next start applies newer migrations. The restored database is a copy,
// so Recoup starts paused (D7).

export interface RestoreOptions {
  /** URL of an empty database, as a superuser. */
  url: string
  file: string
  /** The secret from the environment; null to use the backup's own. */
  secret: string | null
  /** All job queues of this version. */
  jobs: Job[]
}

export interface RestoreResult {
  madeAt: Date
  /** The backup's secret, to be stored in the data folder; null when the environment holds it. */
  secret: string | null
  tableCount: number
}

const SESSION = 'recoup restore'

/** Restores everything or nothing: a failed restore leaves the database empty. */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreResult> {
  const archive = await openArchive(options.file)
  try {
    const secret = await chooseSecret(archive, options.secret)
    await assertKnownMigrations(archive)
    await assertEmpty(options.url)
    try {
      await loadAll(archive, options)
    } catch (error) {
      await sql.withClient(options.url, SESSION, dropEverything)
      throw error
    }
    const { madeAt: createdAt, tables } = archive.header
    return { madeAt: new Date(createdAt), secret: options.secret ? null : secret, tableCount: tables.length }
  } finally {
    archive.close()
  }
}

async function chooseSecret(archive: ArchiveReader, passed: string | null): Promise<string> {
  const { hasSecret, secretCheck } = archive.header
  if (!passed && !hasSecret) {
    throw new StartupError(
      'This backup was made with APP_SECRET set. Set APP_SECRET to the same value and restore again.',
    )
  }
  const secret = passed ?? (await text(await archive.read('app-secret')))
  if (deriveSecretCheck(secret) !== secretCheck) {
    throw new StartupError('APP_SECRET is not the one this backup was made with: store keys in it could not be read.')
  }
  return secret
}

async function assertKnownMigrations({ header }: ArchiveReader): Promise<void> {
  const known = new Map((await loadMigrations()).map(({ name, checksum }) => [name, checksum]))
  if (header.migrations.every(({ name, checksum }) => known.get(name) === checksum)) return
  throw new StartupError(
    `This backup was made by Recoup ${header.version}, whose tables this one (${VERSION}) does not know. Restore it with that version or a later one. Nothing was restored.`,
  )
}

async function assertEmpty(url: string): Promise<void> {
  if (await sql.withClient(url, SESSION, sql.hasTables)) {
    throw new StartupError(
      'There is a database in this data folder already. A backup is restored into an empty one: set DATA_DIR to another folder, or move this one away.',
    )
  }
}

async function loadAll(archive: ArchiveReader, { url, jobs }: RestoreOptions): Promise<void> {
  const pool = openPool({ url, isPrepared: false, max: 2 })
  try {
    await migrate(pool, { only: new Set(archive.header.migrations.map(({ name }) => name)) })
    await sql.withClient(url, SESSION, (client) => loadTables(client, archive))
    await queueJobs(pool, url, jobs, await text(await archive.read('jobs.json')))
  } finally {
    await pool.end()
  }
}

async function loadTables(client: sql.Client, { header, read }: ArchiveReader): Promise<void> {
  const there = new Map((await sql.readTables(client)).map((table) => [table.name, new Set(table.columns)]))
  await beginLoad(
    client,
    header.tables.filter(({ name }) => there.has(name)),
  )
  for (const table of header.tables) {
    const columns = there.get(table.name)
    if (!columns || table.columns.some((column) => !columns.has(column))) {
      throw new StartupError(
        `The backup is damaged: this Recoup knows no table ${table.name} of that form. Nothing was restored.`,
      )
    }
    await pipeline(await read(`tables/${table.name}`), copyIn(client, table))
  }
  for (const sequence of header.sequences) await setSequence(client, sequence)
  await endLoad(client)
}

const Waiting = z.array(z.object({ name: z.string(), payload: z.unknown(), key: z.string().nullable() }))

/**
 * Queues jobs again, because the queue's own tables may differ between versions. Skips jobs whose queue no longer
 * exists.
 */
async function queueJobs(pool: ReturnType<typeof openPool>, url: string, jobs: Job[], content: string): Promise<void> {
  const waiting = Waiting.parse(JSON.parse(content))
  const queue = await startJobQueue(url, createLogger('error'), jobs, false)
  try {
    const db = openDb(pool)
    for (const { name, payload, key } of waiting) {
      const found = jobs.find((job) => job.name === name)
      if (found) await queue.enqueue(db, found, payload, key ?? undefined)
    }
  } finally {
    await queue.stop()
  }
}

function copyIn(client: Client, { name, columns }: CopiedTable): Writable {
  return client.query(copyFrom(`copy public.${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`))
}

/**
 * Disables triggers, including foreign keys, until the transaction ends. The rows were consistent when they were read.
 */
async function beginLoad(client: Client, tables: readonly CopiedTable[]): Promise<void> {
  await client.query('begin')
  await client.query(`set local session_replication_role = 'replica'`)
  // Some migrations insert rows.
  if (tables.length > 0)
    await client.query(`truncate ${tables.map(({ name }) => `public.${quoted(name)}`).join(', ')} cascade`)
}

async function setSequence(client: Client, { name, value }: SequenceValue): Promise<void> {
  if (value !== null) await client.query('select setval($1::regclass, $2::bigint)', [`public.${quoted(name)}`, value])
}

async function endLoad(client: Client): Promise<void> {
  await client.query('commit')
  await client.query('analyze')
}

/** Empties the database after a failed restore. */
async function dropEverything(client: Client): Promise<void> {
  await client.query('drop schema if exists pgboss cascade')
  await client.query('drop schema public cascade')
  await client.query('create schema public')
}
