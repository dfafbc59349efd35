import type pg from 'pg'
import { expect, test } from 'vitest'
import { createDatabaseFactory } from '../../../test/databases.ts'
import { readMigration } from './files.ts'
import { migrate } from './migrate.ts'

const databases = createDatabaseFactory()
const shoes = readMigration('0001_shoes.sql', 'create table shoes (id int primary key, size int);')
const bySize = readMigration(
  '0002_shoes_by_size.sql',
  '-- no transaction\n-- For the list by size.\ncreate index concurrently shoes_by_size\n  on shoes (size);\n',
)
const migrations = [shoes, bySize]

async function createDatabase(): Promise<pg.Pool> {
  const pool = databases.open(await databases.create(), 8)
  await migrate(pool, { migrations: [shoes] })
  return pool
}

/** Polls the catalogue: other connections are visible only there. */
async function waitUntil(pool: pg.Pool, condition: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(`select (${condition}) as "isSo"`)
    if (rows[0].isSo) return
  }
}

const IS_WAITING = `exists (select 1 from pg_stat_progress_create_index where datname = current_database() and phase like 'waiting for%')`
const isValid = async (pool: pg.Pool) =>
  (await pool.query(`select indisvalid from pg_index where indexrelid = to_regclass('shoes_by_size')`)).rows

/** Opens a transaction whose snapshot the index build has to wait for. */
async function holdSnapshot(pool: pg.Pool): Promise<() => Promise<void>> {
  const client = await pool.connect()
  await client.query('begin isolation level repeatable read')
  await client.query('select count(*) from shoes')
  return async () => {
    await client.query('commit')
    client.release()
  }
}

test('a concurrent index build does not block writes', async () => {
  const pool = await createDatabase()
  const letGo = await holdSnapshot(pool)
  const built = migrate(pool, { migrations })
  await waitUntil(pool, IS_WAITING)
  // The build ends only after these writes, so waiting for it would deadlock.
  for (let id = 1; id <= 20; id++) await pool.query('insert into shoes values ($1, $1)', [id])
  await pool.query('update shoes set size = size + 1')
  await pool.query('delete from shoes where id = 1')
  expect(await isValid(pool)).toEqual([{ indisvalid: false }])
  await letGo()
  expect(await built).toEqual([bySize.name])
  expect(await isValid(pool)).toEqual([{ indisvalid: true }])
})

test('a second process that waits for the first does not block the index build', async () => {
  const pool = await createDatabase()
  const letGo = await holdSnapshot(pool)
  const first = migrate(pool, { migrations })
  await waitUntil(pool, IS_WAITING)
  const waiting = Promise.withResolvers<void>()
  const pause = async () => {
    waiting.resolve()
    await new Promise(setImmediate)
  }
  const sentences: string[] = []
  const second = migrate(pool, { migrations, pause, say: (sentence) => sentences.push(sentence) })
  await waiting.promise
  await letGo()
  expect([await first, await second]).toEqual([[bySize.name], []])
  expect(sentences).toEqual(['Another Recoup process is updating the database. Waiting for it to finish.'])
})

test('an invalid index left by an interrupted attempt is rebuilt', async () => {
  const pool = await createDatabase()
  const letGo = await holdSnapshot(pool)
  const cutOff = migrate(pool, { migrations }).catch(String)
  await waitUntil(pool, IS_WAITING)
  await pool.query(
    'select pg_terminate_backend(pid) from pg_stat_progress_create_index where datname = current_database()',
  )
  expect(await cutOff).toMatch(/terminat/)
  await letGo()
  expect(await isValid(pool)).toEqual([{ indisvalid: false }])
  expect(await migrate(pool, { migrations })).toEqual([bySize.name])
  expect(await isValid(pool)).toEqual([{ indisvalid: true }])
})

test('a finished but unrecorded index is not built again', async () => {
  const pool = await createDatabase()
  await pool.query('create index shoes_by_size on shoes (size)')
  const { rows } = await pool.query(`select 'shoes_by_size'::regclass::oid as oid`)
  expect(await migrate(pool, { migrations })).toEqual([bySize.name])
  expect((await pool.query(`select 'shoes_by_size'::regclass::oid as oid`)).rows).toEqual(rows)
})

test('a concurrent drop succeeds even when the index is already gone', async () => {
  const pool = await createDatabase()
  await migrate(pool, { migrations })
  const dropped = readMigration('0003_drop.sql', '-- no transaction\ndrop index concurrently if exists shoes_by_size;')
  await migrate(pool, { migrations: [...migrations, dropped] })
  expect(await isValid(pool)).toEqual([])
  const again = readMigration('0004_drop.sql', '-- no transaction\ndrop index concurrently if exists shoes_by_size;')
  expect(await migrate(pool, { migrations: [...migrations, dropped, again] })).toEqual(['0004_drop.sql'])
})

test('a migration without a transaction holds one repeatable statement', () => {
  const read = (text: string) => () => readMigration('0002_a.sql', `-- no transaction\n${text}`)
  expect(read('create index concurrently a on shoes (size); create index concurrently b on shoes (id);')).toThrow(
    'may hold one statement only',
  )
  expect(read('update shoes set size = 1;')).toThrow('may hold one statement only')
  expect(read('create unique index concurrently a on shoes (size) where size > 1;')().alone).toEqual({
    index: 'a',
    isDrop: false,
  })
})
