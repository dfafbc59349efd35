import { expect, inject, test } from 'vitest'
import { databaseUrl } from '../../test/global.ts'
import { aWorld } from '../../test/world.ts'
import { newOrdersJob } from '../sync/jobs.ts'
import { sql } from './db.ts'
import { startJobQueue } from './jobs.ts'
import { createLogger } from './logger.ts'

const world = aWorld()

test('a job that may not run before a time waits until then, and nothing is queued beside it under its key', async () => {
  const name = world.pool.options.connectionString!.match(/\/\/[^/]*\/([^?]+)/)![1]!
  const queue = await startJobQueue(
    databaseUrl(inject('databaseUrl'), name),
    createLogger('silent'),
    [newOrdersJob],
    false,
  )
  const [storeId, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const later = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 60_000)
  await queue.enqueue(world.db, newOrdersJob, { storeId }, storeId, later)
  await queue.enqueue(world.db, newOrdersJob, { storeId }, storeId, new Date(later.getTime() + 60_000))
  await queue.enqueue(world.db, newOrdersJob, { storeId }, storeId)
  await queue.enqueue(world.db, newOrdersJob, { storeId: other }, other)
  const { rows } = await sql<{ key: string; start_after: Date }>`
    select singleton_key as key, start_after from pgboss.job order by created_on`.execute(world.db)
  await queue.stop()
  expect(rows.map(({ key }) => key)).toEqual([storeId, other])
  expect(rows[0]!.start_after).toEqual(later)
  expect(rows[1]!.start_after.getTime()).toBeLessThan(later.getTime())
})
