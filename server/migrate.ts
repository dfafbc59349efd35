import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'

const folder = new URL('../db/migrations/', import.meta.url)

/** Applies what is new, oldest first, all in one transaction under a lock: two processes starting at once do it once. */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock(731205481)') // transaction-scoped: works through poolers
    await client.query('create table if not exists migrations (name text primary key, applied_at timestamptz not null)')
    const done = new Set(
      (await client.query<{ name: string }>('select name from migrations')).rows.map((row) => row.name),
    )
    const fresh = files.filter((name) => !done.has(name))
    for (const name of fresh) {
      await client.query(await readFile(new URL(name, folder), 'utf8'))
      await client.query('insert into migrations values ($1, now())', [name])
    }
    await client.query('commit')
    return fresh
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** Whether every migration this code brings along is applied; for `/readyz`. */
export async function isMigrated(pool: pg.Pool): Promise<boolean> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql'))
  const done = await pool.query<{ name: string }>('select name from migrations')
  const names = new Set(done.rows.map((row) => row.name))
  return files.every((name) => names.has(name))
}
