import type pg from 'pg'

/** How many statements the connections of a pool are sent during some work: what a slow machine does not change. */
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
