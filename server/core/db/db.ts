import type net from 'node:net'
import { type CompiledQuery, Kysely, PostgresDialect, type RawBuilder, sql, type Transaction } from 'kysely'
import pg from 'pg'
import type { Schema } from '../schema/schema.ts'
import { isStalePlan } from './db-unavailable.ts'

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
  // JIT compilation costs more time than any of our statements takes.
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'recoup',
    options: '-c jit=off',
  })
  pool.on('error', () => {}) // An idle connection broke: the pool replaces it, the next query reports it
  // The pool handles errors of idle connections only. An error between two statements of a transaction would end the
  // process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const names: StatementNames = { given: 0, ofText: new Map() }
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
    return (await atOnce.get(client)!(statements)) as Row[]
  } finally {
    client.release()
  }
}

export function transactAccount<T>(account: AccountDb, work: (tx: AccountTx) => Promise<T>): Promise<T> {
  return account.db.transaction().execute((db) => work({ accountId: account.accountId, db }))
}

const GENERIC_PLANS = 'set local plan_cache_mode = force_generic_plan'

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

const MAX_NAMED_LENGTH = 20_000
const MAX_NAMES = 2_000
/** Names of prepared statements, the same on all connections of a pool. */
interface StatementNames {
  given: number
  ofText: Map<string, string>
}

/**
 * A statement that takes rows as JSON also takes their ids, so that it uses the primary key regardless of what the planner
 * expects of JSON.
 */
export const listIds = (rows: readonly { id: string }[]): string[] => rows.map((row) => row.id)

const EACH_TIME = '/* planned each time */'
/**
 * Prefix for a statement whose best plan depends on its values. The statement is not named. Do not use it with
 * `useGenericPlans`.
 */
export const PLANNED_EACH_TIME = sql.raw(EACH_TIME)

function nameStatement(names: StatementNames, text: string): string | undefined {
  const known = names.ofText.get(text)
  if (known || text.startsWith(EACH_TIME) || names.ofText.size >= MAX_NAMES || text.length > MAX_NAMED_LENGTH)
    return known
  const name = `r${names.given++}`
  names.ofText.set(text, name)
  return name
}

/** Sends the statements of one transaction, per connection of `openPool`. */
const atOnce = new WeakMap<pg.PoolClient, (statements: readonly CompiledQuery[]) => Promise<unknown[]>>()

type Query = (query: unknown, ...rest: unknown[]) => unknown
type Callback = (error: unknown, result?: pg.QueryResult) => void
interface NamedQuery {
  name: string | undefined
  text: string
  values: unknown[]
}

/**
 * Uses callbacks for promise callers too. With the promises of `pg` V8 kept each result until a full collection:
 * 200,000 rows read page by page held 41 MB (docs/performance.md). Without names nothing is prepared.
 */
function patchQuery(client: pg.PoolClient, names: StatementNames | null): void {
  const query = client.query.bind(client) as unknown as Query
  const ask = (text: string, values: unknown[], callback: Callback): void => {
    if (!names) return void query({ text, values }, callback)
    const named = { name: nameStatement(names, text), text, values }
    const isAlone = client.getTransactionStatus() === 'I'
    query(named, (error: unknown, result?: pg.QueryResult) => {
      if (isRepeatable(names, error, named) && isAlone) query({ text, values }, callback)
      else callback(error, result)
    })
  }
  client.query = ((text: unknown, values?: unknown, ...rest: unknown[]) => {
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) return query(text, values, ...rest)
    const callback = rest[0] as Callback | undefined
    if (callback) return ask(text, values, callback)
    return new Promise((resolve, reject) => {
      ask(text, values, (error, result) => (error ? reject(error) : resolve(result)))
    })
  }) as typeof client.query
  atOnce.set(client, async (statements) => {
    const queries = statements.map(({ sql: text, parameters }): NamedQuery => {
      return { name: names ? nameStatement(names, text) : undefined, text, values: [...parameters] }
    })
    const answers = await Promise.allSettled(
      sendPipelined(client, query, [{ text: `begin; ${GENERIC_PLANS}` }, ...queries, { text: 'commit' }]),
    )
    const failed = answers.findIndex(({ status }) => status === 'rejected')
    if (failed === -1) return (answers.at(-2) as PromiseFulfilledResult<pg.QueryResult>).value.rows
    const { reason } = answers[failed] as PromiseRejectedResult
    if (names && queries[failed - 1]) isRepeatable(names, reason, queries[failed - 1]!)
    throw reason
  })
}

/**
 * Sends all statements in one write. After a failure in the transaction the others fail too, and `commit` acts as
 * `rollback`.
 */
function sendPipelined(client: pg.PoolClient, query: Query, all: readonly object[]): Promise<pg.QueryResult>[] {
  const driver = client as unknown as { pipeline: boolean; connection: { stream: net.Socket } }
  const { stream } = driver.connection
  let open = all.length
  driver.pipeline = true
  stream.cork()
  try {
    return all.map((each) => {
      const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
      query(each, (error: unknown, result?: pg.QueryResult) => {
        if (--open === 0) driver.pipeline = false
        if (error) reject(error)
        else resolve(result!)
      })
      return promise
    })
  } finally {
    stream.uncork()
  }
}

/**
 * Another process has migrated: an earlier prepared statement now returns other columns, and PostgreSQL refuses it
 * before it does anything. All names are renewed, so that each pool meets this once. Outside a transaction the
 * statement is repeated; a transaction has failed and counts as interrupted (`isDatabaseUnavailable`).
 */
function isRepeatable(names: StatementNames, error: unknown, { name, text }: NamedQuery): boolean {
  if (!isStalePlan(error)) return false
  // The name is unchanged: no other statement has cleared the names since.
  if (name !== undefined && names.ofText.get(text) === name) names.ofText.clear()
  return true
}

export { type RawBuilder, sql }

/**
 * PostgreSQL reads an offset as POSIX does, with the opposite sign: a store's `+02:00` is `-02:00` there. Names stay
 * unchanged.
 */
export const toSqlZone = (zone: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`case when ${zone} ~ '^[+-]' then translate(${zone}, '+-', '-+') else ${zone} end`
