import net from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { openPool } from './db.ts'
import { isDatabaseAway } from './db-away.ts'

const closings: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

/** Accepts connections and never says a word, as a machine does whose PostgreSQL has stopped in its tracks. */
async function aSilentServer(): Promise<string> {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => void sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closings.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `postgres://app@127.0.0.1:${(server.address() as net.AddressInfo).port}/recoup`
}

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error) => error,
  )
}

describe('a database that accepts connections and does not answer', () => {
  test('counts as away after a while, for who connects and for who waits for a free connection', async () => {
    const pool = openPool({ url: await aSilentServer(), max: 1, connectMs: 20 })
    closings.push(() => pool.end())
    const errors = await Promise.all([errorOf(pool.query('select 1')), errorOf(pool.query('select 1'))])
    expect(errors.map(isDatabaseAway)).toEqual([true, true])
  })

  test('holds no place in the pool afterwards', async () => {
    const pool = openPool({ url: await aSilentServer(), max: 1, connectMs: 20 })
    closings.push(() => pool.end())
    await errorOf(pool.query('select 1'))
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
])('%s means that the database is away', (_, code, words) => {
  expect(isDatabaseAway(Object.assign(new Error(words), { code }))).toBe(true)
})
