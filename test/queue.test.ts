import { expect, test } from 'vitest'
import { z } from 'zod'
import { job } from '../server/core/jobs/jobs.ts'
import { createWorld } from './world.ts'

// The job queue of the tests.

const world = createWorld()
const call = job('test.call', z.object({}), 'one')

test('a job is queued when its transaction commits, and not before', async () => {
  await world.db.transaction().execute(async (tx) => {
    await world.deps.jobs.enqueue(tx, call, {})
    expect(world.queued).toEqual([])
  })
  expect(world.queued).toMatchObject([{ name: 'test.call' }])
})

test('a rolled back transaction queues nothing', async () => {
  world.queued.length = 0
  const failing = world.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      await world.deps.jobs.enqueue(tx, call, {})
      throw new Error('no')
    })
  await expect(failing).rejects.toThrow('no')
  expect(world.queued).toEqual([])
})

test('only one of several jobs with the same key waits', async () => {
  for (const _ of [1, 2]) await world.deps.jobs.enqueue(world.db, call, {}, 'key')
  expect(world.queued).toHaveLength(1)
})
