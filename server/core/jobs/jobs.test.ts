import pg from 'pg'
import { expect, inject, test, vi } from 'vitest'
import { databaseUrl } from '../../../test/global.ts'
import { aWorld } from '../../../test/world.ts'
import { sendDueMessages } from '../../messages/messages/jobs.ts'
import { newOrdersJob, orderJob } from '../../carts/sync/jobs.ts'
import { sql } from '../db/db.ts'
import { on, onSteppingAside, startJobQueue } from './jobs.ts'
import { createLogger } from '../common/logger.ts'
import type { StepAside } from '../common/seats.ts'

const world = aWorld()

function urlOfWorld(): string {
  const name = world.pool.options.connectionString!.match(/\/\/[^/]*\/([^?]+)/)![1]!
  return databaseUrl(inject('databaseUrl'), name)
}

test('a job that may not run before a time waits until then, and nothing is queued beside it under its key', async () => {
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

test('more jobs than there are takers are taken up one after the other, not a dozen every half minute', async () => {
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

test('jobs that step aside while a shop hangs leave their takers to the others, and the end waits for them (operators-H3)', async () => {
  const queue = await startJobQueue(urlOfWorld(), createLogger('silent'), [sendDueMessages], true)
  const { promise: answer, resolve } = Promise.withResolvers<void>()
  const [healthy, done]: [string, string[]] = [crypto.randomUUID(), []]
  const run = async (_: unknown, { storeId }: { storeId: string }, stepAside: StepAside) => {
    if (storeId !== healthy) await stepAside(() => answer)
    done.push(storeId)
  }
  await queue.work(world.deps, [onSteppingAside(sendDueMessages, run)])
  const hanging = Array.from({ length: 30 }, () => crypto.randomUUID())
  for (const storeId of hanging) await queue.enqueue(world.db, sendDueMessages, { storeId }, storeId)
  await queue.enqueue(world.db, sendDueMessages, { storeId: healthy }, healthy)
  await expect.poll(() => done).toEqual([healthy])
  resolve()
  await queue.stop()
  expect(done).toHaveLength(31)
})

test('the jobs of one store hold one taker, however many webhooks of a slow shop wait (operators-H3)', async () => {
  const queue = await startJobQueue(urlOfWorld(), createLogger('silent'), [orderJob], true)
  const { promise: answer, resolve } = Promise.withResolvers<void>()
  const [slow, healthy, done]: [string, string, string[]] = [crypto.randomUUID(), crypto.randomUUID(), []]
  let [now, most] = [0, 0]
  const run = async (_: unknown, { storeId }: { storeId: string }) => {
    if (storeId === slow) {
      now += 1
      most = Math.max(most, now)
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
  expect(most).toBe(1)
  await queue.stop()
})

/** How often takers of this queue have asked for a job. */
function countFetches(name: string) {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const isFetch = (text: unknown) =>
    typeof text === 'string' && text.includes('SKIP LOCKED') && text.includes(`'${name}'`)
  return { sofar: () => query.mock.calls.filter(([text]) => isFetch(text)).length, end: () => query.mockRestore() }
}

test('a job wakes one taker and that one another, not all twelve', async () => {
  const queue = await startJobQueue(urlOfWorld(), createLogger('silent'), [orderJob, sendDueMessages], true)
  const fetches = countFetches(sendDueMessages.name)
  let done = 0
  await queue.work(world.deps, [on(sendDueMessages, async () => void done++)])
  // Each looks once when it begins to work.
  await expect.poll(fetches.sofar).toBeGreaterThanOrEqual(12)
  const before = fetches.sofar()
  for (let n = 0; n < 5; n++) {
    const storeId = crypto.randomUUID()
    await queue.enqueue(world.db, sendDueMessages, { storeId }, storeId)
    await expect.poll(() => done).toBe(n + 1)
  }
  await queue.stop()
  // The one that is woken, the one it wakes, itself afterwards, and perhaps by a look at all queues.
  expect(fetches.sofar() - before).toBeLessThanOrEqual(5 * 4)
  fetches.end()
})

test('a deferred job and a failed job start without a notification', async () => {
  const queue = await startJobQueue(urlOfWorld(), createLogger('silent'), [sendDueMessages], true)
  const seen: string[] = []
  const [later, failing] = [crypto.randomUUID(), crypto.randomUUID()]
  const run = async (_: unknown, { storeId }: { storeId: string }) => {
    seen.push(storeId)
    if (storeId === failing && seen.filter((each) => each === failing).length === 1) throw new Error('once')
  }
  await queue.work(world.deps, [on(sendDueMessages, run)])
  await queue.enqueue(world.db, sendDueMessages, { storeId: later }, later, new Date(Date.now() + 1_000))
  await queue.enqueue(world.db, sendDueMessages, { storeId: failing }, failing)
  await expect.poll(() => seen.toSorted(), { timeout: 20_000 }).toEqual([failing, failing, later].toSorted())
  await queue.stop()
})

test('takers that put a job of a busy store back look for jobs of other stores at once, not half a minute later', async () => {
  const queue = await startJobQueue(urlOfWorld(), createLogger('silent'), [orderJob], true)
  const { promise: answer, resolve } = Promise.withResolvers<void>()
  const [slow, started]: [string, Set<string>] = [crypto.randomUUID(), new Set()]
  await queue.work(world.deps, [
    on(orderJob, async (_, { storeId }) => {
      started.add(storeId)
      await answer
    }),
  ])
  // All takers wait and are woken at the same moment, so that several take a job of the slow store before it is known to be busy.
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
