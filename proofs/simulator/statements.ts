import pg from 'pg'

// Runs prepared statements with fewer protocol messages than the driver: a known statement is not described again, and
// a transaction begins together with its first statement. A scenario has some five hundred small statements.

/** Private fields of pg about connections, queries and results. */
interface Connection {
  parsedStatements: Record<string, string>
  parse(message: { text: string; name: string }): void
  bind(message: { statement: string }): void
  describe(): void
  execute(message: object): void
}
interface Columns {
  fields: { name: string }[]
  _parsers: unknown
  _prebuiltEmptyResultObject: unknown
}
interface Internals {
  name: string
  callback: (error: Error | null, result: pg.QueryResult) => void
  _result: Columns
  _accumulateRows: boolean
  prepare(connection: Connection): void
  handleCommandComplete(message: object, connection: Connection): void
}

const Query = pg.Query as unknown as new (text: string, values: unknown[]) => Internals
const names = new Map<string, string>()
const columns = new Map<string, Columns>()
const quiet = new WeakMap<Connection, Connection>()

class Statement extends Query {
  readonly #opening: string | null
  #isOpen: boolean

  constructor(text: string, values: unknown[], opening: string | null) {
    super(text, values)
    this.name = buildStatementName(text)
    this.#opening = opening
    this.#isOpen = opening === null
    const known = columns.get(this.name)
    if (known) Object.assign(this._result, known)
    this._accumulateRows = true
  }

  override prepare(connection: Connection): void {
    if (this.#opening) open(connection, this.#opening)
    super.prepare(columns.has(this.name) ? hideDescribe(connection) : connection)
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    if (this.#isOpen) super.handleCommandComplete(message, connection)
    this.#isOpen = true
  }
}

/** Runs a statement that the database keeps prepared, with `opening` (a `begin`) before it in the same message. */
export function runStatement(client: pg.ClientBase, text: string, values: unknown[], opening: string | null) {
  const statement = new Statement(text, values, opening)
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
  statement.callback = (error, result) => {
    if (error) return reject(error)
    const { fields, _parsers, _prebuiltEmptyResultObject } = statement._result
    if (!columns.has(statement.name)) columns.set(statement.name, { fields, _parsers, _prebuiltEmptyResultObject })
    resolve(result)
  }
  client.query(statement as unknown as pg.Submittable)
  return promise.catch((error) => {
    // The stack of the reply is useless; the caller's shows the place in our code.
    Error.captureStackTrace(error)
    throw error
  })
}

function buildStatementName(text: string): string {
  const name = names.get(text) ?? `s${names.size}`
  names.set(text, name)
  return name
}

function open(connection: Connection, text: string): void {
  const name = buildStatementName(text)
  if (!connection.parsedStatements[name]) {
    connection.parse({ text, name })
    connection.parsedStatements[name] = text
  }
  connection.bind({ statement: name })
  connection.execute({})
}

function hideDescribe(connection: Connection): Connection {
  const known = quiet.get(connection) ?? (Object.create(connection, { describe: { value() {} } }) as Connection)
  quiet.set(connection, known)
  return known
}
