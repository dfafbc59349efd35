import { expect } from 'vitest'
import type { World } from './world.ts'

/** Waits until this many connections of the test app wait for a lock. */
export const waitForBlockedConnections = (world: World, count: number) =>
  expect.poll(() => countWaiting(world)).toBeGreaterThanOrEqual(count)

async function countWaiting(world: World): Promise<number> {
  const { rows } = await world.pool.query(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0].count
}
