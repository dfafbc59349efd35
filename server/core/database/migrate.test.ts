import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { createDatabaseFactory } from '../../../test/databases.ts'
import { StartupError } from '../config/startup-errors.ts'
import { VERSION } from '../config/version.ts'
import { openDb } from '../db/db.ts'
import { isDatabaseUnavailable } from '../db/db-unavailable.ts'
import { loadMigrations, readMigration } from './files.ts'
import { isMigrated, migrate } from './migrate.ts'

const databases = createDatabaseFactory()
const shoes = readMigration('0001_shoes.sql', 'create table shoes (id int primary key, size int);')
const socks = readMigration('0002_socks.sql', 'create table socks (id int primary key);')

async function createDatabase(): Promise<pg.Pool> {
  return databases.open(await databases.create())
}

const readNames = async (pool: pg.Pool) =>
  (
    await pool.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    )
  ).rows.map(({ relname }) => relname)

/** The message of a refusal: one sentence for the operator, no stack trace. */
async function readRefusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(StartupError)
  return (error as StartupError).message
}

function buildFolder(files: Record<string, string>): URL {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-migrations-'))
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  return pathToFileURL(`${folder}/`)
}

test('the migrations of this release are short and numbered uniquely and in order', async () => {
  const migrations = await loadMigrations()
  const numbers = migrations.map(({ number }) => number)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  expect(migrations.filter(({ text }) => text.split('\n').length > 401)).toEqual([])
})

test('two migrations with one number, or a name without a number, are refused', async () => {
  await expect(loadMigrations(buildFolder({ '0001_a.sql': '', '0001_b.sql': '' }))).rejects.toThrow(
    'Two migrations have the number 1: 0001_a.sql and 0001_b.sql.',
  )
  await expect(loadMigrations(buildFolder({ 'later.sql': '' }))).rejects.toThrow('later.sql is no name of a migration')
})

test('a new migration is applied once and recorded with its checksum and the version of Recoup', async () => {
  const pool = await createDatabase()
  expect(await migrate(pool, { migrations: [shoes], version: '0.1.0' })).toEqual(['0001_shoes.sql'])
  expect(await migrate(pool, { migrations: [shoes, socks], version: '0.2.0' })).toEqual(['0002_socks.sql'])
  expect(await migrate(pool, { migrations: [shoes, socks], version: '0.3.0' })).toEqual([])
  expect((await pool.query('select name, checksum, version from migrations order by name')).rows).toEqual([
    { name: shoes.name, checksum: shoes.checksum, version: '0.1.0' },
    { name: socks.name, checksum: socks.checksum, version: '0.2.0' },
  ])
})

test('line endings do not change the checksum', () => {
  const [unix, windows] = ['select 1;\nselect 2;\n', 'select 1;\r\nselect 2;\r\n']
  expect(readMigration('0001_a.sql', windows).checksum).toBe(readMigration('0001_a.sql', unix).checksum)
})

test('processes that start at the same time migrate once', async () => {
  const url = await databases.create()
  const pools = [databases.open(url), databases.open(url), databases.open(url)]
  const pause = () => Promise.resolve()
  const applied = await Promise.all(pools.map((pool) => migrate(pool, { migrations: [shoes, socks], pause })))
  expect(applied.flat().sort()).toEqual([shoes.name, socks.name])
})

test('a failed file is rolled back alone, and the next start continues there', async () => {
  const pool = await createDatabase()
  const broken = readMigration('0002_broken.sql', 'create table half (id int);\ncreate table half (id int);')
  const refusal = await readRefusal(migrate(pool, { migrations: [shoes, broken] }))
  expect(refusal).toMatch(
    /^The migration 0002_broken\.sql failed and was rolled back: relation "half" already exists\./,
  )
  expect(await readNames(pool)).toEqual(['migrations', 'shoes'])
  expect(await migrate(pool, { migrations: [shoes, socks] })).toEqual([socks.name])
})

test('a changed migration is refused with its file name', async () => {
  const pool = await createDatabase()
  await migrate(pool, { migrations: [shoes], version: '0.1.0' })
  const changed = readMigration('0001_shoes.sql', `${shoes.text}\n`)
  expect(await readRefusal(migrate(pool, { migrations: [changed, socks] }))).toBe(
    'The migration 0001_shoes.sql is not the one this database was made with by version 0.1.0. Put the released file back (git checkout db/migrations). Nothing was changed.',
  )
  expect(await readNames(pool)).toEqual(['migrations', 'shoes'])
})

test('a database migrated by a newer Recoup is refused with that version and instructions', async () => {
  const pool = await createDatabase()
  await migrate(pool, { migrations: [shoes, socks], version: '0.9.0' })
  expect(await readRefusal(migrate(pool, { migrations: [shoes] }))).toBe(
    `The database is newer than this Recoup: version 0.9.0 applied the migration 0002_socks.sql, which version ${VERSION} does not have. Start version 0.9.0 or a later one, or restore a backup made before that update. Nothing was changed.`,
  )
})

test('a migration numbered before an applied one is refused', async () => {
  const pool = await createDatabase()
  await migrate(pool, { migrations: [socks] })
  expect(await readRefusal(migrate(pool, { migrations: [shoes, socks] }))).toContain(
    'The migration 0001_shoes.sql is missing in the database, though a later one was applied.',
  )
})

test('a database of a development version before 0.1.0 is refused in one sentence and left unchanged', async () => {
  const pool = await createDatabase()
  await pool.query(`
    create table migrations (name text primary key, applied_at timestamptz not null);
    insert into migrations values ('0001_foundation.sql', now()), ('0044_active_carts.sql', now());
    create table stores (id uuid primary key)`)
  expect(await readRefusal(migrate(pool))).toMatch(
    /^The database was made by a development version of Recoup from before 0\.1\.0, .* Nothing was changed: start with an empty database/,
  )
  expect(await readNames(pool)).toEqual(['migrations', 'stores'])
  expect((await pool.query('select count(*) from migrations')).rows).toEqual([{ count: 2 }])
  expect(await isMigrated(pool)).toBe(false)
})

test('a locked table is waited for briefly and repeatedly, and the migration succeeds once it is free', async () => {
  const pool = await createDatabase()
  await migrate(pool, { migrations: [shoes] })
  const wider = readMigration('0002_width.sql', 'alter table shoes add column width int;')
  const user = await pool.connect()
  await user.query('begin')
  await user.query('insert into shoes values (1, 42)')
  const pauses: number[] = []
  const pause = async (ms: number) => {
    pauses.push(ms)
    // Between two attempts the migration holds no lock, so others can write.
    await pool.query('insert into shoes values ($1, 43)', [pauses.length + 1])
    if (pauses.length === 3) await user.query('commit')
  }
  expect(await migrate(pool, { migrations: [shoes, wider], lockTimeoutMs: 10, pause })).toEqual([wider.name])
  user.release()
  expect(pauses).toEqual([200, 400, 800])
  expect((await pool.query('select count(*) from shoes where width is null')).rows).toEqual([{ count: 4 }])
})

test('a table that stays locked ends the attempts with one sentence', async () => {
  const pool = await createDatabase()
  await migrate(pool, { migrations: [shoes] })
  const wider = readMigration('0002_width.sql', 'alter table shoes add column width int;')
  const user = await pool.connect()
  await user.query('begin')
  await user.query('select 1 from shoes')
  const options = { migrations: [shoes, wider], lockTimeoutMs: 10, lockAttempts: 3, pause: async () => {} }
  expect(await readRefusal(migrate(pool, options))).toMatch(
    /^The migration 0002_width\.sql gave up after 3 attempts: another program holds locks on a table it changes\./,
  )
  await user.query('rollback')
  user.release()
})

test('a running process prepares its statements again after another process has migrated', async () => {
  const url = await databases.create()
  const pool = databases.open(url)
  await migrate(pool, { migrations: [shoes] })
  await pool.query('insert into shoes values (1, 42)')
  const running = databases.open(url, 1)
  const read = async () => (await running.query('select * from shoes where id = $1', [1])).rows[0]
  const readWithKysely = () =>
    openDb(running as never)
      .selectFrom('shoes' as never)
      .selectAll()
      .where('id' as never, '=', 1 as never)
      .execute()
  expect(await read()).toEqual({ id: 1, size: 42 })
  await readWithKysely()
  await migrate(pool, { migrations: [shoes, readMigration('0002_w.sql', 'alter table shoes add column width int;')] })
  expect(await read()).toEqual({ id: 1, size: 42, width: null })
  expect(await readWithKysely()).toEqual([{ id: 1, size: 42, width: null }])
})

test('a transaction that uses a stale statement counts as interrupted and succeeds when repeated', async () => {
  const url = await databases.create()
  const pool = databases.open(url)
  await migrate(pool, { migrations: [shoes] })
  const db = openDb(databases.open(url, 1))
  const work = () =>
    db.transaction().execute((tx) =>
      tx
        .selectFrom('shoes' as never)
        .selectAll()
        .where('id' as never, '=', 1 as never)
        .execute(),
    )
  await work()
  await migrate(pool, { migrations: [shoes, readMigration('0002_w.sql', 'alter table shoes add column width int;')] })
  const error = await work().catch((reason: unknown) => reason)
  expect(String(error)).toContain('cached plan must not change result type')
  expect(isDatabaseUnavailable(error)).toBe(true)
  expect(await work()).toEqual([])
})
