import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Db } from '../../server/db.ts'
import type { Schema } from '../../server/schema.ts'

/**
 * Runs `work` on a database that is one connection in one transaction: everything it commits is committed at the end, or never.
 * History becomes visible as a whole, no worker takes up half of it, and thousands of small transactions cost one write to disk.
 * The connection is its own: what stands in for a table in it (`sql.standIn`) is known to none of the pool's.
 */
export async function inOneTransaction<T>(pool: pg.Pool, work: (db: Db) => Promise<T>): Promise<T> {
  const { connectionString } = pool.options
  const client = new pg.Client({ connectionString, application_name: 'recoup-demo' })
  client.on('error', () => {}) // the next query says so
  await client.connect()
  try {
    await client.query('begin')
    // Nothing is known yet about how much is in the tables, and a plan feared to be dear is compiled: 50 ms each time.
    await client.query('set local jit = off')
    const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: poolOfOne(client) }) })
    const result = await work(db)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    await client.end()
  }
}

/** One at a time; the transactions within begin and commit nothing of their own, and one that fails fails them all. */
function poolOfOne(client: pg.Client) {
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
