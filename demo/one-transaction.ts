import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { type Db, openPool } from '../server/core/db/db.ts'
import type { Schema } from '../server/core/schema/schema.ts'
import type { Deps } from '../server/deps.ts'

/**
 * Runs `work` on one connection in one transaction. Nested commits take effect at the end, all or none: the history
 * becomes visible at once, workers see no half of it, and thousands of small transactions cost one disk write. The
 * connection is not from the pool, so the temporary tables of `sql.createSnapshotTables` stay private.
 */
export async function runInOneTransaction<T>({ config, pool }: Deps, work: (db: Db) => Promise<T>): Promise<T> {
  const own = openPool({ url: pool.options.connectionString!, isPrepared: config.isDatabasePrepared, max: 1 })
  const client = await own.connect()
  try {
    await client.query(`set application_name = 'recoup-demo'`)
    await client.query('begin')
    const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: createSingleConnectionPool(client) }) })
    const result = await work(db)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
    await own.end()
  }
}

/** Hands out one connection at a time. Nested transactions do not begin or commit, so one failure fails all. */
function createSingleConnectionPool(client: pg.PoolClient) {
  let last = Promise.resolve()
  const query = (text: unknown, ...rest: unknown[]) => {
    const isBoundary = typeof text === 'string' && /^(begin|start transaction|commit|rollback)\b/i.test(text)
    if (isBoundary) return Promise.resolve({ command: 'BEGIN', rowCount: 0, rows: [] })
    return (client.query as (...args: unknown[]) => unknown)(text, ...rest)
  }
  return {
    async connect() {
      const before = last
      let release = () => {}
      last = new Promise<void>((resolve) => {
        release = resolve
      })
      await before
      return { query, release } as unknown as pg.PoolClient
    },
    async end() {},
  }
}
