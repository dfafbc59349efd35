import { Kysely, PostgresDialect, type RawBuilder, sql, type Transaction } from 'kysely'
import pg from 'pg'
import type { Schema } from '../schema/public.ts'
import { EACH_TIME, GENERIC_PLANS, patchQuery, type StatementNames, transactionSenders } from './pg-client.ts'

// The connection pool and Kysely instance, the store and account handles, and transactions with generic plans.

export type Db = Kysely<Schema>
export type Tx = Transaction<Schema>

/** The database scoped to one store. Every tenant query takes it, so that none can omit the store. */
export interface StoreDb<D extends Db | Tx = Db | Tx> {
  readonly storeId: string
  readonly db: D
}
export type StoreTx = StoreDb<Tx>

/** The database scoped to one account. */
export interface AccountDb<D extends Db | Tx = Db | Tx> {
  readonly accountId: string
  readonly db: D
}
export type AccountTx = AccountDb<Tx>

export interface DbOptions {
  url: string
  /** Named statements are 1.9 times as fast; off for poolers that do not support them. */
  isPrepared?: boolean
  max?: number
  /** ms to wait for a new or free connection; then the database counts as unavailable. */
  connectMs?: number
}

/** After this time an error is more useful than waiting. */
const CONNECT_MS = 30_000
/** ms of silence before TCP keep-alive checks whether the other side still exists. */
const KEEP_ALIVE_MS = 10_000

export function openPool({ url, isPrepared = true, max = 16, connectMs = CONNECT_MS }: DbOptions): pg.Pool {
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'recoup',
  })
  pool.on('error', () => {}) // An idle connection broke: the pool replaces it, the next query reports it
  // The pool handles errors of idle connections only. An error between two statements of a transaction would end the
  // process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const names: StatementNames = { round: 0, ofText: new Map() }
  pool.on('connect', (client) => patchQuery(client, isPrepared ? names : null))
  return pool
}

export function openDb(pool: pg.Pool): Db {
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  pools.set(db, pool)
  return db
}

const pools = new WeakMap<Db, pg.Pool>()

export function transact<T>(store: StoreDb, work: (tx: StoreTx) => Promise<T>): Promise<T> {
  return store.db.transaction().execute((db) => work({ storeId: store.storeId, db }))
}

/**
 * Runs a transaction in one round trip with generic plans. Each statement sees what was committed before it begins,
 * including changes that the previous one waited for. Returns the rows of the last statement; throws the first error.
 * Without `openPool` the statements run one after the other.
 */
export async function transactAtOnce<Row>(
  store: StoreDb<Db>,
  before: readonly RawBuilder<unknown>[],
  last: RawBuilder<Row>,
): Promise<Row[]> {
  const pool = pools.get(store.db)
  if (!pool) {
    return transact(store, async (tx) => {
      const { db } = tx
      await useGenericPlans(tx)
      for (const statement of before) await statement.execute(db)
      return (await last.execute(db)).rows
    })
  }
  const statements = [...before, last].map((statement) => statement.compile(store.db))
  const client = await pool.connect()
  try {
    return (await transactionSenders.get(client)!(statements)) as Row[]
  } finally {
    client.release()
  }
}

export function transactAccount<T>(account: AccountDb, work: (tx: AccountTx) => Promise<T>): Promise<T> {
  return account.db.transaction().execute((db) => work({ accountId: account.accountId, db }))
}

/**
 * Plans the named statements of this transaction once per connection. With lists or JSON as values PostgreSQL would
 * replan many of them each time, and planning takes as long as running. Such a statement finds its rows by `id =
 * any($1)`, so that one plan fits all values. The setting belongs to the transaction, so poolers support it. Unnamed
 * statements are planned each time, without particular values.
 */
export const useGenericPlans = ({ db }: StoreTx): Promise<unknown> => sql.raw(GENERIC_PLANS).execute(db)

/** One snapshot for several reads (D3: "all inputs are read in one snapshot"). */
export function snapshot<T>(store: StoreDb<Db>, work: (tx: StoreTx) => Promise<T>): Promise<T> {
  return store.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((db) => work({ storeId: store.storeId, db }))
}

/**
 * A statement that takes rows as JSON also takes their ids, so that it uses the primary key regardless of what the planner
 * expects of JSON.
 */
export const listIds = (rows: readonly { id: string }[]): string[] => rows.map((row) => row.id)

/**
 * Prefix for a statement whose best plan depends on its values. The statement is not named. Do not use it with
 * `useGenericPlans`.
 */
export const PLANNED_EACH_TIME = sql.raw(EACH_TIME)

export { type RawBuilder, sql }

/**
 * PostgreSQL reads an offset as POSIX does, with the opposite sign: a store's `+02:00` is `-02:00` there. Names stay
 * unchanged.
 */
export const toSqlZone = (zone: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`case when ${zone} ~ '^[+-]' then translate(${zone}, '+-', '-+') else ${zone} end`
