import pg from 'pg'
import { expect, inject, test, vi } from 'vitest'
import { replaceDatabase } from '../../../test/global.ts'
import { createWorld } from '../../../test/world.ts'
import { newOrdersJob, orderJob } from '../../carts/sync/jobs.ts'
import { sendDueMessages } from '../../messages/messages/jobs.ts'
import type { ReleaseSlot } from '../common/concurrency.ts'
import { createLogger } from '../common/logger.ts'
import { sql } from '../db/db.ts'
import { on, onReleasingSlot, startJobQueue } from './jobs.ts'

const world = createWorld()

function urlOfWorld(): string {
  const name = world.pool.options.connectionString!.match(/\/\/[^/]*\/([^?]+)/)![1]!
  return replaceDatabase(inject('databaseUrl'), name)
}

test('a deferred job waits until its time, and no second job is queued under its key', async () => {
  const queue = await startJobQueue(urlOfWorld(), createLogger('silent'), [newOrdersJob], false)
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

test('more jobs than workers run one after the other, not a dozen every half minute', async () => {
  const queue = await startJobQueue(urlOfWorld(), createLogger('silent'), [sendDueMessages], true)
  const done = new Set<string>()
  const ids = Array.from({ length: 100 }, () => crypto.randomUUID())
  await world.db.transaction().execute(async (tx) => {
    for (const storeId of ids) await queue.enqueue(tx, sendDueMessages, { storeId }, storeId)
  })
  await queue.work(world.deps, [on(sendDueMessages, async (_, { storeId }) => void done.add(storeId))])
  await expect.poll(() => done.size).toBe(100)
  await queue.stop()
})

test('jobs that step aside while a shop hangs free their workers, and stop waits for them', async () => {
  const queue = await startJobQueue(urlOfWorld(), createLogger('silent'), [sendDueMessages], true)
  const { promise: answer, resolve } = Promise.withResolvers<void>()
  const [healthy, done]: [string, string[]] = [crypto.randomUUID(), []]
  const run = async (_: unknown, { storeId }: { storeId: string }, releaseSlot: ReleaseSlot) => {
    if (storeId !== healthy) await releaseSlot(() => answer)
    done.push(storeId)
  }
  await queue.work(world.deps, [onReleasingSlot(sendDueMessages, run)])
  const hanging = Array.from({ length: 30 }, () => crypto.randomUUID())
  for (const storeId of hanging) await queue.enqueue(world.db, sendDueMessages, { storeId }, storeId)
  await queue.enqueue(world.db, sendDueMessages, { storeId: healthy }, healthy)
  await expect.poll(() => done).toEqual([healthy])
  resolve()
  await queue.stop()
  expect(done).toHaveLength(31)
})

test('the jobs of one store hold one worker, however many webhooks of a slow shop wait', async () => {
  const queue = await startJobQueue(urlOfWorld(), createLogger('silent'), [orderJob], true)
  const { promise: answer, resolve } = Promise.withResolvers<void>()
  const [slow, healthy, done]: [string, string, string[]] = [crypto.randomUUID(), crypto.randomUUID(), []]
  let [now, max] = [0, 0]
  const run = async (_: unknown, { storeId }: { storeId: string }) => {
    if (storeId === slow) {
      now += 1
      max = Math.max(max, now)
      await answer
      now -= 1
    }
    done.push(storeId)
  }
  const enqueue = (storeId: string, n: number) =>
    queue.enqueue(world.db, orderJob, { storeId, orderId: String(n) }, `${storeId}:${n}`)
  for (let n = 0; n < 30; n++) await enqueue(slow, n)
  for (let n = 0; n < 3; n++) await enqueue(healthy, n)
  await queue.work(world.deps, [on(orderJob, run)])
  await expect.poll(() => done, { timeout: 20_000 }).toEqual([healthy, healthy, healthy])
  resolve()
  await expect.poll(() => done.length, { timeout: 20_000 }).toBe(33)
  expect(max).toBe(1)
  await queue.stop()
})

/** How often workers of this queue have fetched. */
function countFetches(name: string) {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const isFetch = (text: unknown) =>
    typeof text === 'string' && text.includes('SKIP LOCKED') && text.includes(`'${name}'`)
  return { sofar: () => query.mock.calls.filter(([text]) => isFetch(text)).length, end: () => query.mockRestore() }
}

test('a job wakes one worker, which wakes the next, instead of all twelve', async () => {
  const queue = await startJobQueue(urlOfWorld(), createLogger('silent'), [orderJob, sendDueMessages], true)
  const fetches = countFetches(sendDueMessages.name)
  let done = 0
  await queue.work(world.deps, [on(sendDueMessages, async () => void done++)])
  // Each worker fetches once when it starts.
  await expect.poll(fetches.sofar).toBeGreaterThanOrEqual(12)
  const before = fetches.sofar()
  for (let n = 0; n < 5; n++) {
    const storeId = crypto.randomUUID()
    await queue.enqueue(world.db, sendDueMessages, { storeId }, storeId)
    await expect.poll(() => done).toBe(n + 1)
  }
  await queue.stop()
  // The first worker, the one it wakes, itself afterwards, and perhaps one by the poll.
  expect(fetches.sofar() - before).toBeLessThanOrEqual(5 * 4)
  fetches.end()
})

test('a deferred job and a failed job start without a notification', async () => {
  const queue = await startJobQueue(urlOfWorld(), createLogger('silent'), [sendDueMessages], true)
  const calls: string[] = []
  const [later, failing] = [crypto.randomUUID(), crypto.randomUUID()]
  const run = async (_: unknown, { storeId }: { storeId: string }) => {
    calls.push(storeId)
    if (storeId === failing && calls.filter((each) => each === failing).length === 1) throw new Error('once')
  }
  await queue.work(world.deps, [on(sendDueMessages, run)])
  await queue.enqueue(world.db, sendDueMessages, { storeId: later }, later, new Date(Date.now() + 1_000))
  await queue.enqueue(world.db, sendDueMessages, { storeId: failing }, failing)
  await expect.poll(() => calls.toSorted(), { timeout: 20_000 }).toEqual([failing, failing, later].toSorted())
  await queue.stop()
})

test('workers that put back a busy store’s job fetch jobs of other stores at once', async () => {
  const queue = await startJobQueue(urlOfWorld(), createLogger('silent'), [orderJob], true)
  const { promise: answer, resolve } = Promise.withResolvers<void>()
  const [slow, started]: [string, Set<string>] = [crypto.randomUUID(), new Set()]
  await queue.work(world.deps, [
    on(orderJob, async (_, { storeId }) => {
      started.add(storeId)
      await answer
    }),
  ])
  // All workers are woken together, so that several take a job of the slow store before it counts as busy.
  const others = Array.from({ length: 11 }, () => crypto.randomUUID())
  const jobs = [...Array.from({ length: 12 }, () => slow), ...others]
  await world.db.transaction().execute(async (tx) => {
    for (const [n, storeId] of jobs.entries())
      await queue.enqueue(tx, orderJob, { storeId, orderId: String(n) }, `${storeId}:${n}`)
  })
  await expect.poll(() => started.size, { timeout: 20_000 }).toBe(12)
  resolve()
  await queue.stop()
})
