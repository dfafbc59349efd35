import { once } from 'node:events'
import net from 'node:net'
import pg from 'pg'

// Counts a process's statements with a proxy between the process and PostgreSQL.

export interface StatementCounter {
  /** The database's address through the proxy. */
  url: string
  /** Executions of each statement since the last call. */
  take(): Map<string, number>
  stop(): Promise<void>
}

export async function countStatements(databaseUrl: string): Promise<StatementCounter> {
  const { host, port, user, database: name } = new pg.Client(databaseUrl)
  let counts = new Map<string, number>()
  const count = (text: string) => void counts.set(text, (counts.get(text) ?? 0) + 1)
  const sockets = new Set<net.Socket>()
  const server = net.createServer((client) => {
    const database = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host)
    const read = createFrontendReader(count)
    client.on('data', read)
    client.pipe(database).pipe(client)
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = (server.address() as net.AddressInfo).port
  return {
    url: `postgres://${user}@127.0.0.1:${own}/${name}`,
    take() {
      const timings = counts
      counts = new Map()
      return timings
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Parses one connection's frontend messages: `Q` is a simple query; `P`, `B` and `E` parse, bind and execute. */
function createFrontendReader(count: (text: string) => void): (chunk: Buffer) => void {
  const prepared = new Map<string, string>()
  let rest: Buffer = Buffer.alloc(0)
  let isStarted = false
  let bound = ''
  return (chunk) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    for (;;) {
      const head = isStarted ? 1 : 0
      if (rest.length < head + 4) return
      const end = head + rest.readInt32BE(head)
      if (rest.length < end) return
      const body = rest.subarray(head + 4, end)
      const kind = isStarted ? String.fromCharCode(rest[0]!) : 'startup'
      const [first, second] = body.toString('utf8').split('\0', 2)
      if (kind === 'Q') count(first!)
      if (kind === 'P') prepared.set(first!, second!)
      if (kind === 'B') bound = prepared.get(second!) ?? second!
      if (kind === 'E') count(bound)
      isStarted = true
      rest = rest.subarray(end)
    }
  }
}
