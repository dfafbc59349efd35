import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createDatabaseFactory } from '../../../test/databases.ts'
import { replaceDatabase } from '../../../test/global.ts'
import { buildTea, createShop } from '../../../test/shop.ts'
import { createWorld, type World } from '../../../test/world.ts'
import { handlers } from '../../worker.ts'
import { checkInstance } from '../../workspace/instance/instance.ts'
import { eraseJob } from '../../workspace/privacy/jobs.ts'
import { createLogger } from '../common/logger.ts'
import { loadMigrations } from '../database/files.ts'
import { isMigrated, migrate } from '../database/migrate.ts'
import { openDb, openPool } from '../db/db.ts'
import { startJobQueue } from '../jobs/jobs.ts'
import { createArchive, deriveSecretCheck } from './archive.ts'
import { writeBackup } from './backup.ts'
import { type RestoreResult, restoreBackup } from './restore.ts'
import { readTables } from './sql.ts'

const world: World = createWorld()
const server = () => inject('databaseUrl')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-backup-test-'))
const databases = createDatabaseFactory()
const emptyDatabase = databases.create
const secret = 'a secret of at least thirty-two characters'

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const buildOwnUrl = () =>
  replaceDatabase(server(), world.pool.options.connectionString!.match(/\/\/[^/]*\/([^?]+)/)![1]!)
const getFile = (name: string) => path.join(folder, `${name}.zip`)
const jobs = handlers.map((handler) => handler.job)

function backUp(file: string, rest: { isSecretIncluded?: boolean } = {}) {
  return writeBackup({ url: buildOwnUrl(), secret, isSecretIncluded: true, file, now: world.now, ...rest })
}

async function seedArchive(name: string, header: object): Promise<void> {
  const archive = createArchive(getFile(name))
  archive.addText('backup.json', JSON.stringify(header))
  await archive.finish()
}

/** The rows of every table, in any order. */
async function readContent(url: string): Promise<Record<string, string>> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const content: Record<string, string> = {}
    for (const { name } of await readTables(client)) {
      const { rows } = await client.query<{ content: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text collate "C")), '') as content from ${client.escapeIdentifier(name)} t`,
      )
      content[name] = rows[0]!.content
    }
    return content
  } finally {
    await client.end()
  }
}

// An external server may not allow its users to disable triggers.
describe.skipIf(process.env.DATABASE_URL)('a backup', () => {
  test('restores every table as it was, and starts paused (D7)', async () => {
    const shop = await createShop(world)
    await shop.mailed({ email: 'ada@example.com' })
    await checkInstance(world.deps)
    const before = await readContent(buildOwnUrl())
    const tableCount = await backUp(getFile('whole'))
    expect(fs.statSync(getFile('whole')).mode & 0o777).toBe(0o600)
    await shop.fill('later', [buildTea()])

    const url = await emptyDatabase()
    const restored = await restoreBackup({ url, file: getFile('whole'), secret: null, jobs })

    expect(restored).toEqual({ madeAt: world.now, secret, tableCount })
    expect(await readContent(url)).toEqual(before)
    expect(Object.values(before).filter((content) => !content.startsWith('0 ')).length).toBeGreaterThan(15)
    const pool = openPool({ url, max: 2 })
    expect(await checkInstance({ ...world.deps, db: openDb(pool) })).toBe(true)
    await pool.end()
  })

  describe('of a running Recoup whose environment holds the secret', () => {
    const payload = { accountId: crypto.randomUUID(), erasureId: crypto.randomUUID() }
    let url: string
    let restored: RestoreResult
    let client: pg.Client

    beforeAll(async () => {
      const boss = await startJobQueue(buildOwnUrl(), createLogger('silent'), [eraseJob], false)
      await boss.enqueue(world.db, eraseJob, payload)
      await boss.stop()
      const shop = await createShop(world)
      let isOver = false
      const writing = (async () => {
        for (let n = 0; !isOver; n++) {
          await shop.fill(`busy${n}`, [buildTea()])
          await shop.type(`busy${n}`, { email: `busy${n}@example.com` })
        }
      })()
      await backUp(getFile('busy'), { isSecretIncluded: false })
      isOver = true
      await writing
      url = await emptyDatabase()
      restored = await restoreBackup({ url, file: getFile('busy'), secret, jobs })
      client = new pg.Client(url)
      await client.connect()
    })
    afterAll(() => client?.end())

    test('leaves the secret out and requires the same one for a restore', async () => {
      const options = { url: await emptyDatabase(), file: getFile('busy'), jobs }
      await expect(restoreBackup({ ...options, secret: null })).rejects.toThrow('Set APP_SECRET to the same value')
      await expect(restoreBackup({ ...options, secret: 'another' })).rejects.toThrow('APP_SECRET is not the one')
      expect(restored).toMatchObject({ secret: null })
    })

    test('is one snapshot while Recoup keeps writing', async () => {
      const { rows } = await client.query(
        `select conrelid::regclass::text as "table", conname as name from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
      )
      // Triggers were disabled while loading, so foreign keys are checked again here.
      for (const { table, name } of rows) {
        const definition = await client.query(
          'select pg_get_constraintdef(oid) as text from pg_constraint where conname = $1 and conrelid = $2::regclass',
          [name, table],
        )
        await client.query(
          `alter table ${table} add constraint again_${crypto.randomBytes(4).toString('hex')} ${definition.rows[0].text}`,
        )
      }
      expect(rows.length).toBeGreaterThan(20)
    })

    test('includes unfinished jobs', async () => {
      const { rows } = await client.query(`select name, data, state from pgboss.job`)
      expect(rows).toContainEqual({ name: eraseJob.name, data: payload, state: 'created' })
    })

    test('is not restored into a database that has tables', async () => {
      await expect(restoreBackup({ url, file: getFile('busy'), secret, jobs })).rejects.toThrow(
        'There is a database in this data folder already',
      )
    })
  })

  test('is refused when damaged, and leaves the database empty', async () => {
    await backUp(getFile('good'))
    const bytes = fs.readFileSync(getFile('good'))
    const url = await emptyDatabase()
    for (const entry of ['backup.json', 'tables/users', 'jobs.json', 'manifest.json']) {
      const bad = Buffer.from(bytes)
      // The entry's name precedes its content.
      bad.writeUInt32LE(0xdeadbeef, bad.indexOf(entry) + entry.length + 5)
      fs.writeFileSync(getFile('bad'), bad)
      await expect(restoreBackup({ url, file: getFile('bad'), secret: null, jobs })).rejects.toThrow()
      expect(await readContent(url)).toEqual({})
    }
    fs.writeFileSync(getFile('cut'), bytes.subarray(0, bytes.length - 500))
    await expect(restoreBackup({ url, file: getFile('cut'), secret: null, jobs })).rejects.toThrow(/backup/)
    await restoreBackup({ url, file: getFile('good'), secret: null, jobs })
  })

  test('is refused when a development version before 0.1.0 wrote it, and restores nothing', async () => {
    const header = {
      product: 'Recoup',
      format: 1,
      madeAt: world.now.toISOString(),
      migrations: ['0001_foundation.sql'],
    }
    await seedArchive('old', header)
    const url = await emptyDatabase()
    await expect(restoreBackup({ url, file: getFile('old'), secret: null, jobs })).rejects.toThrow(
      'was made by a development version of Recoup from before 0.1.0, and its tables cannot be taken over. Restore it with the version that made it.',
    )
    expect(await readContent(url)).toEqual({})
  })

  test('of an older version is restored into that version’s tables, and the next start migrates them', async () => {
    const names = (await loadMigrations()).map(({ name }) => name)
    const older = databases.open(await databases.create())
    await migrate(older, { only: new Set(names.slice(0, -1)), version: '0.0.9' })
    await older.query(`insert into accounts (id, name, created_at) values (gen_random_uuid(), 'Tea House', now())`)
    const file = getFile('older')
    await writeBackup({ url: older.options.connectionString!, secret, isSecretIncluded: true, file, now: world.now })

    const url = await databases.create()
    await restoreBackup({ url, file, secret: null, jobs })
    const pool = databases.open(url)
    expect(await isMigrated(pool)).toBe(false)
    expect(await migrate(pool)).toEqual(names.slice(-1))
    expect((await pool.query('select name from accounts')).rows).toEqual([{ name: 'Tea House' }])
  })

  test('of a version with other tables is refused with that version’s name', async () => {
    const header = { product: 'Recoup', format: 2, madeAt: world.now.toISOString(), version: '7.0.0' }
    const rest = { tables: [], sequences: [], hasSecret: false, secretCheck: deriveSecretCheck(secret) }
    const url = await emptyDatabase()
    const changed = { name: '0001_accounts.sql', checksum: 'another' }
    for (const migration of [changed, { name: '0999_later.sql', checksum: '' }]) {
      await seedArchive('other', { ...header, ...rest, migrations: [migration] })
      await expect(restoreBackup({ url, file: getFile('other'), secret, jobs })).rejects.toThrow(
        'This backup was made by Recoup 7.0.0',
      )
      expect(await readContent(url)).toEqual({})
    }
  })

  test('of an empty database is refused with a message', async () => {
    const url = await emptyDatabase()
    const options = { url, secret, isSecretIncluded: true, file: getFile('nothing'), now: world.now }
    await expect(writeBackup(options)).rejects.toThrow('nothing to back up')
    expect(fs.existsSync(getFile('nothing'))).toBe(false)
  })

  test('leaves no file when it cannot be written', async () => {
    await expect(backUp(path.join(folder, 'missing', 'x.zip'))).rejects.toThrow()
    expect(fs.readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([])
  })
})
