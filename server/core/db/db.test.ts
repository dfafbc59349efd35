import net from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { openPool } from './db.ts'
import { isDatabaseUnavailable } from './db-unavailable.ts'

const closings: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

/** Accepts connections and never replies, like a machine whose PostgreSQL is frozen. */
async function createSilentServer(): Promise<string> {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => void sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closings.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `postgres://app@127.0.0.1:${(server.address() as net.AddressInfo).port}/recoup`
}

async function readError(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error) => error,
  )
}

describe('a database that accepts connections and does not reply', () => {
  test('counts as unavailable after a timeout, both for a new connection and for a wait on the pool', async () => {
    const pool = openPool({ url: await createSilentServer(), max: 1, connectMs: 20 })
    closings.push(() => pool.end())
    const errors = await Promise.all([readError(pool.query('select 1')), readError(pool.query('select 1'))])
    expect(errors.map(isDatabaseUnavailable)).toEqual([true, true])
  })

  test('holds no pool slot afterwards', async () => {
    const pool = openPool({ url: await createSilentServer(), max: 1, connectMs: 20 })
    closings.push(() => pool.end())
    await readError(pool.query('select 1'))
    expect([pool.totalCount, pool.waitingCount]).toEqual([0, 0])
  })
})

test.each([
  [
    'a query on a connection that the other side has just ended',
    'EPIPE',
    'This socket has been ended by the other party',
  ],
  ['a query on a connection that is being given up', undefined, 'Client was closed and is not queryable'],
])('%s means that the database is unavailable', (_, code, message) => {
  expect(isDatabaseUnavailable(Object.assign(new Error(message), { code }))).toBe(true)
})
