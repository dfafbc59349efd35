import { Kysely, PostgresDialect, type RawBuilder, sql, type Transaction } from 'kysely'
import pg from 'pg'
import type { Schema } from './schema.ts'

export type Db = Kysely<Schema>
export type Tx = Transaction<Schema>

/** The database seen through one store. Every query for tenant rows takes it, so none can forget the store. */
export interface StoreDb<D extends Db | Tx = Db | Tx> {
  readonly storeId: string
  readonly db: D
}
export type StoreTx = StoreDb<Tx>

/** The database seen through one account. */
export interface AccountDb<D extends Db | Tx = Db | Tx> {
  readonly accountId: string
  readonly db: D
}
export type AccountTx = AccountDb<Tx>

export interface DbOptions {
  url: string
  /** Named statements are 1.9 times as fast; off for poolers that cannot carry them. */
  isPrepared?: boolean
  max?: number
}

export function openPool({ url, isPrepared = true, max = 16 }: DbOptions): pg.Pool {
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)
  // Compiling a plan costs more than any of our statements takes.
  const pool = new pg.Pool({ connectionString: url, max, application_name: 'recoup', options: '-c jit=off' })
  pool.on('error', () => {}) // an idle connection that broke: the pool replaces it, the next query says so
  // The pool listens to idle ones only. One that breaks in a transaction, between two statements, would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  if (isPrepared) pool.on('connect', nameStatements)
  return pool
}

export function openDb(pool: pg.Pool): Db {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
}

export function transact<T>(store: StoreDb, work: (tx: StoreTx) => Promise<T>): Promise<T> {
  return store.db.transaction().execute((db) => work({ storeId: store.storeId, db }))
}

export function transactAccount<T>(account: AccountDb, work: (tx: AccountTx) => Promise<T>): Promise<T> {
  return account.db.transaction().execute((db) => work({ accountId: account.accountId, db }))
}

/** One snapshot for several reads (D3: "all inputs are read in one snapshot"). */
export function snapshot<T>(store: StoreDb<Db>, work: (tx: StoreTx) => Promise<T>): Promise<T> {
  return store.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((db) => work({ storeId: store.storeId, db }))
}

const names = new Map<string, string>()

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known || names.size >= 2_000 || text.length > 20_000) return known
  const name = `r${names.size}`
  names.set(text, name)
  return name
}

function nameStatements(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  client.query = ((text: unknown, values?: unknown, ...rest: unknown[]) => {
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return query(text, values, ...rest)
    const name = nameOf(text)
    return query(name ? { name, text, values } : { text, values }, ...rest)
  }) as typeof client.query
}

export { type RawBuilder, sql }
