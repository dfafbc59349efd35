import type pg from 'pg'
import type { Migration } from './files.ts'

// Every statement of the migration runner, on plain connections: it runs before a schema exists.

export type Pool = pg.Pool
export type Client = pg.PoolClient

export interface Applied {
  name: string
  checksum: string
  /** Version of Recoup that applied it. */
  version: string
}

/** `none`: an empty database. `unknown`: another program created a table of that name. */
export async function readApplied(db: Pool | Client): Promise<Applied[] | 'none' | 'unknown'> {
  const { rows } = await db.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = to_regclass('migrations') and attnum > 0 and not attisdropped`,
  )
  if (rows.length === 0) return 'none'
  if (!rows.some(({ name }) => name === 'checksum')) return 'unknown'
  return (await db.query<Applied>('select name, checksum, version from migrations order by name')).rows
}

export async function createMigrationsTable(db: Pool | Client): Promise<void> {
  await db.query(
    `create table if not exists migrations (
       name text primary key, checksum text not null, version text not null, applied_at timestamptz not null)`,
  )
}

/**
 * True when this transaction holds the migration lock. Transaction locks work through poolers. Does not block: a
 * waiting statement holds a snapshot, and a concurrent index build would wait for it.
 */
export async function tryLock(client: Client): Promise<boolean> {
  await client.query('begin')
  const { rows } = await client.query<{ isMine: boolean }>('select pg_try_advisory_xact_lock(731205481) as "isMine"')
  if (rows[0]!.isMine) await client.query('set local idle_in_transaction_session_timeout = 0')
  else await client.query('rollback')
  return rows[0]!.isMine
}

export async function unlock(client: Client): Promise<void> {
  await client.query('rollback')
}

const RECORD = 'insert into migrations values ($1, $2, $3, now()) on conflict (name) do nothing'

/** Applies the whole file or nothing. Records it first, so that a concurrent attempt fails on the duplicate. */
export async function applyFile(
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

export async function applyAlone(client: Client, { text }: Migration): Promise<void> {
  await client.query(text)
}

export async function record(client: Client, { name, checksum }: Migration, version: string): Promise<void> {
  await client.query(RECORD, [name, checksum, version])
}

/** Null: no such index. An interrupted attempt leaves an invalid one, which slows every write. */
export async function isIndexValid(client: Client, index: string): Promise<boolean | null> {
  const { rows } = await client.query<{ isValid: boolean }>(
    'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)',
    [index],
  )
  return rows[0]?.isValid ?? null
}

export async function dropIndex(client: Client, index: string): Promise<void> {
  await client.query(`drop index concurrently if exists ${client.escapeIdentifier(index)}`)
}
