import type { Readable, Writable } from 'node:stream'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

// Every statement of backup and restore. They copy whole tables of all accounts, so they use a plain connection.

/** A table with its stored columns; generated columns are computed again on restore. */
export interface CopiedTable {
  name: string
  columns: string[]
}

export interface SequenceValue {
  name: string
  /** Null until the sequence has produced a value. */
  value: string | null
}

export type Client = pg.Client

/** Opens a connection for `work` and closes it even when `work` fails. */
export async function withClient<T>(url: string, name: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: name })
  // A lost connection also fails the running statement, which reports the error.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

const quoted = (name: string) => pg.escapeIdentifier(name)

export async function beginSnapshot(client: Client): Promise<void> {
  await client.query('begin isolation level repeatable read read only')
}

/** All tables except the list of migrations, which is part of the header. */
export async function readTables(client: Client): Promise<CopiedTable[]> {
  const { rows } = await client.query<CopiedTable>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
      and c.relname <> 'migrations'
    group by c.relname order by c.relname`)
  return rows
}

export async function readSequences(client: Client): Promise<SequenceValue[]> {
  const { rows } = await client.query<SequenceValue>(`
    select sequencename as name, last_value::text as value from pg_sequences where schemaname = 'public'
    order by sequencename`)
  return rows
}

export async function readMigrations(client: Client): Promise<{ name: string; checksum: string }[]> {
  return (await client.query('select name, checksum from migrations order by name')).rows
}

/** Rows in PostgreSQL's COPY text format, UTF-8. */
export function copyOut(client: Client, { name, columns }: CopiedTable): Readable {
  const list = columns.map(quoted).join(', ')
  return client.query(copyTo(`copy (select ${list} from public.${quoted(name)}) to stdout`))
}

export function copyIn(client: Client, { name, columns }: CopiedTable): Writable {
  return client.query(copyFrom(`copy public.${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`))
}

/** An unfinished job, including active ones. */
export interface WaitingJob {
  name: string
  payload: unknown
  key: string | null
}

/** Returns no jobs when the job queue was never started. */
export async function readWaitingJobs(client: Client): Promise<WaitingJob[]> {
  const found = await client.query<{ there: boolean }>(`select to_regclass('pgboss.job') is not null as there`)
  if (!found.rows[0]!.there) return []
  const { rows } = await client.query<WaitingJob>(`
    select name, data as payload, singleton_key as key from pgboss.job
    where state in ('created', 'retry', 'active') order by created_on, id`)
  return rows
}

/**
 * Disables triggers, including foreign keys, until the transaction ends. The rows were consistent when they were read.
 */
export async function beginLoad(client: Client, tables: readonly CopiedTable[]): Promise<void> {
  await client.query('begin')
  await client.query(`set local session_replication_role = 'replica'`)
  // Some migrations insert rows.
  if (tables.length > 0)
    await client.query(`truncate ${tables.map(({ name }) => `public.${quoted(name)}`).join(', ')} cascade`)
}

export async function setSequence(client: Client, { name, value }: SequenceValue): Promise<void> {
  if (value !== null) await client.query('select setval($1::regclass, $2::bigint)', [`public.${quoted(name)}`, value])
}

export async function endLoad(client: Client): Promise<void> {
  await client.query('commit')
  await client.query('analyze')
}

/** Empties the database after a failed restore. */
export async function dropEverything(client: Client): Promise<void> {
  await client.query('drop schema if exists pgboss cascade')
  await client.query('drop schema public cascade')
  await client.query('create schema public')
}

export async function hasTables(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    `select exists (select 1 from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r') as there`,
  )
  return rows[0]!.there
}
