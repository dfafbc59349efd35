import type pg from 'pg'
import { Connection } from 'pg'
import { vi } from 'vitest'

/** Counts statements sent on a pool's connections, which does not depend on the speed of the machine. */
export function countStatements(pool: pg.Pool): { during(work: () => Promise<unknown>): Promise<number> } {
  let count = 0
  const counted = new WeakSet<pg.PoolClient>()
  pool.on('acquire', (client) => {
    if (counted.has(client)) return
    counted.add(client)
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      count += 1
      return query(...args)
    }) as typeof client.query
  })
  return {
    async during(work) {
      count = 0
      await work()
      return count
    },
  }
}

/** Records statements that this process sends while `work` runs: their number, and their text without values. */
export async function recordStatements(work: () => Promise<unknown>): Promise<{ count: number; plain: string[] }> {
  const simple = vi.spyOn(Connection.prototype, 'query')
  const extended = vi.spyOn(Connection.prototype, 'execute')
  try {
    await work()
    const plain = simple.mock.calls.map(([text]) => String(text))
    return { count: plain.length + extended.mock.calls.length, plain }
  } finally {
    simple.mockRestore()
    extended.mockRestore()
  }
}
