import { createHash } from 'node:crypto'
import type net from 'node:net'
import type { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { isStalePlan } from './db-unavailable.ts'

// Names the statements of pg's clients, and sends a transaction in one write. This is the only file that uses what pg does
// not document: replacing `client.query`, switching `client.pipeline` after the connect, and the socket of the
// connection. pg-client.test.ts names the version that was checked.

export const GENERIC_PLANS = 'set local plan_cache_mode = force_generic_plan'

const MAX_NAMED_LENGTH = 20_000
const MAX_NAMES = 2_000
/** Prepared statements of a pool, by the text that the code sends. */
export interface StatementNames {
  /** Counts how often plans became stale. */
  round: number
  ofText: Map<string, PreparedStatement>
}
interface PreparedStatement {
  name: string | undefined
  text: string
}

export const EACH_TIME = '/* planned each time */'

/**
 * A name is the hash of its text: behind a pooler several processes share a connection, where a name must not mean two
 * texts. After a stale plan the text changes too, because PgBouncer keeps one statement per text.
 */
function prepare(names: StatementNames, text: string): PreparedStatement {
  const known = names.ofText.get(text)
  if (known) return known
  if (text.startsWith(EACH_TIME) || names.ofText.size >= MAX_NAMES || text.length > MAX_NAMED_LENGTH)
    return { name: undefined, text }
  const sent = names.round === 0 ? text : `/* ${names.round} */ ${text}`
  const prepared = { name: `r${createHash('sha256').update(sent).digest('hex').slice(0, 16)}`, text: sent }
  names.ofText.set(text, prepared)
  return prepared
}

/** Sends the statements of one transaction, per connection of `openPool`. */
export const transactionSenders = new WeakMap<
  pg.PoolClient,
  (statements: readonly CompiledQuery[]) => Promise<unknown[]>
>()

type Query = (query: unknown, ...rest: unknown[]) => unknown
type Callback = (error: unknown, result?: pg.QueryResult) => void

/**
 * Uses callbacks for promise callers too. With the promises of `pg` V8 kept each result until a full collection:
 * 200,000 rows read page by page held 41 MB (docs/performance.md). Without names nothing is prepared.
 */
export function patchQuery(client: pg.PoolClient, names: StatementNames | null): void {
  const query = client.query.bind(client) as unknown as Query
  const ask = (text: string, values: unknown[], callback: Callback): void => {
    if (!names) return void query({ text, values }, callback)
    const prepared = prepare(names, text)
    const isAlone = client.getTransactionStatus() === 'I'
    query({ ...prepared, values }, (error: unknown, result?: pg.QueryResult) => {
      if (isRepeatable(names, error, text, prepared) && isAlone) query({ text, values }, callback)
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
  transactionSenders.set(client, async (statements) => {
    const queries = statements.map(({ sql: text, parameters }) => {
      return { ...(names ? prepare(names, text) : { name: undefined, text }), values: [...parameters] }
    })
    const answers = await Promise.allSettled(
      sendPipelined(client, query, [{ text: `begin; ${GENERIC_PLANS}` }, ...queries, { text: 'commit' }]),
    )
    const failed = answers.findIndex(({ status }) => status === 'rejected')
    if (failed === -1) return (answers.at(-2) as PromiseFulfilledResult<pg.QueryResult>).value.rows
    const { reason } = answers[failed] as PromiseRejectedResult
    if (names && queries[failed - 1]) isRepeatable(names, reason, statements[failed - 1]!.sql, queries[failed - 1]!)
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
function isRepeatable(names: StatementNames, error: unknown, text: string, { name }: PreparedStatement): boolean {
  if (!isStalePlan(error)) return false
  // The name is unchanged: no other statement has cleared the names since.
  if (name !== undefined && names.ofText.get(text)?.name === name) {
    names.round += 1
    names.ofText.clear()
  }
  return true
}
