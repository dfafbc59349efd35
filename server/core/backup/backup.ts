import fs from 'node:fs'
import { Readable } from 'node:stream'
import { to as copyTo } from 'pg-copy-streams'
import { StartupError, VERSION } from '../config/public.ts'
import { BACKUP_FORMAT, createArchive, deriveSecretCheck, type Header } from './archive.ts'
import type { Client, CopiedTable, SequenceValue } from './sql.ts'
import * as sql from './sql.ts'
import { quoted } from './sql.ts'

// Backs up the whole database from one snapshot while Recoup keeps running (decision 137).

export interface BackupOptions {
  /** URL of the database itself, as a superuser. */
  url: string
  secret: string
  /** False when the environment holds the secret. */
  isSecretIncluded: boolean
  file: string
  now: Date
}

/** Writes `file` and returns the number of tables in it. Removes the file when it fails. */
export async function writeBackup({ url, secret, isSecretIncluded, file, now }: BackupOptions): Promise<number> {
  try {
    return await sql.withClient(url, 'recoup backup', async (client) => {
      if (!(await sql.hasTables(client)))
        throw new StartupError('There is no database in this data folder yet, so there is nothing to back up.')
      await beginSnapshot(client)
      const tables = await sql.readTables(client)
      const header: Header = {
        product: 'Recoup',
        format: BACKUP_FORMAT,
        madeAt: now.toISOString(),
        version: VERSION,
        migrations: await readMigrations(client),
        tables,
        sequences: await readSequences(client),
        hasSecret: isSecretIncluded,
        secretCheck: deriveSecretCheck(secret),
      }
      const archive = createArchive(file)
      archive.addText('backup.json', JSON.stringify(header, null, 1))
      for (const table of tables) await archive.add(`tables/${table.name}`, copyOut(client, table))
      await archive.add(
        'jobs.json',
        Readable.from([JSON.stringify(await readWaitingJobs(client))], { objectMode: false }),
      )
      if (isSecretIncluded) await archive.add('app-secret', Readable.from([secret], { objectMode: false }))
      await archive.finish()
      return tables.length
    })
  } catch (error) {
    discardArchive(file)
    throw error
  }
}

function discardArchive(file: string): void {
  fs.rmSync(`${file}.unfinished`, { force: true })
}

async function beginSnapshot(client: Client): Promise<void> {
  await client.query('begin isolation level repeatable read read only')
}

async function readSequences(client: Client): Promise<SequenceValue[]> {
  const { rows } = await client.query<SequenceValue>(`
    select sequencename as name, last_value::text as value from pg_sequences where schemaname = 'public'
    order by sequencename`)
  return rows
}

async function readMigrations(client: Client): Promise<{ name: string; checksum: string }[]> {
  return (await client.query('select name, checksum from migrations order by name')).rows
}

/** Rows in PostgreSQL's COPY text format, UTF-8. */
function copyOut(client: Client, { name, columns }: CopiedTable): Readable {
  const list = columns.map(quoted).join(', ')
  return client.query(copyTo(`copy (select ${list} from public.${quoted(name)}) to stdout`))
}

/** Returns no jobs when the job queue was never started. */
async function readWaitingJobs(client: Client): Promise<WaitingJob[]> {
  const found = await client.query<{ there: boolean }>(`select to_regclass('pgboss.job') is not null as there`)
  if (!found.rows[0]!.there) return []
  const { rows } = await client.query<WaitingJob>(`
    select name, data as payload, singleton_key as key from pgboss.job
    where state in ('created', 'retry', 'active') order by created_on, id`)
  return rows
}

/** An unfinished job, including active ones. */
interface WaitingJob {
  name: string
  payload: unknown
  key: string | null
}
