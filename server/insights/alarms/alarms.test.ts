import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, test } from 'vitest'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'
import { detectAbandoned } from '../../carts/carts/detect.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { sendDue } from '../../delivery/send/send-due.ts'
import { beat } from '../../delivery/send/workers.ts'
import { listStoresToCheck, watchStages } from './alarms.ts'
import * as rules from './rules.ts'
import { HOUR_MS } from './rules.ts'

const MINUTE = 60_000
const world = createWorld()
let store: TestStore

beforeEach(async () => {
  await world.db.updateTable('stores').set({ is_active: false }).execute()
  await world.db.deleteFrom('alarm_watch').execute()
  world.answer = (mail) => ({ kind: 'accepted', providerId: mail.messageId, response: '250 queued' })
  store = await createStore(world)
})

const doNothing = async () => {}

/** Advances the clock by minutes or longer steps; each test sets which parts work meanwhile. */
async function live(minutes: number, each: () => Promise<unknown> = doNothing, step = 1): Promise<void> {
  for (let minute = 0; minute < minutes; minute += step) {
    world.advance(step * MINUTE)
    await each()
    await watchStages(world.deps)
  }
}

/** The store is read all the time, unless a test is about that. */
const sync = () =>
  world.db
    .insertInto('sync_state')
    .values({ store_id: store.storeId, stream: 'sweep', started_at: world.now, completed_at: world.now })
    .onConflict((conflict) =>
      conflict
        .columns(['store_id', 'stream'])
        .doUpdateSet({ started_at: world.now, completed_at: world.now, error_code: null }),
    )
    .execute()

const alarms = async () =>
  (await readNotifications(world, store.storeId)).filter(({ type }) => type.startsWith('stage_'))
const titles = async () => (await alarms()).map(({ title }) => title)
const message = async () => (await alarms()).at(-1)!.message

/** Carts left so long ago that their first reminder is due now. */
async function dueCarts(count: number): Promise<void> {
  const orders = Array.from({ length: count }, () => buildOrder(world))
  await recordOrders(world.deps, store.storeId, orders, 'sync')
  await world.db.updateTable('carts').set({ created_at: world.now }).execute()
}

test('a working store raises no alarm', async () => {
  await dueCarts(2)
  await live(
    90,
    async () => {
      await sync()
      await detectAbandoned(world.deps)
      await freshOrderCheck()
      await sendDue(world.deps, { storeId: store.storeId })
    },
    3,
  )
  expect(world.sent.length).toBe(2)
  expect(await titles()).toEqual([])
  expect((await world.request('GET', '/readyz')).body.alarms).toEqual([])
})

async function freshOrderCheck(): Promise<void> {
  await world.db
    .updateTable('sync_state')
    .set({ completed_start: world.now })
    .where('stream', '=', 'order_check')
    .execute()
}

test('a sync stopped for half an hour raises one alarm with the store’s error, and one notice when it ends', async () => {
  await sync()
  await live(20, doNothing, 5)
  await world.db
    .updateTable('sync_state')
    .set({ error_code: 'wrong_secret', error_detail: null, failed_at: world.now })
    .where('store_id', '=', store.storeId)
    .where('stream', '=', 'sweep')
    .execute()
  await live(9)
  expect(await titles()).toEqual([])
  await live(3)
  expect(await titles()).toEqual(['The store has not been synced'])
  expect(await message()).toContain('The consumer secret does not belong to this consumer key.')
  await live(60, doNothing, 5)
  expect(await titles()).toHaveLength(1)
  await beat(world.deps)
  const ready = await world.request('GET', '/readyz')
  expect(ready).toMatchObject({ status: 200, body: { status: 'ok', alarms: [{ stage: 'sync' }] } })
  expect(JSON.stringify(ready.body)).not.toContain(store.storeId)
  await live(1, sync)
  expect(await titles()).toEqual(['The store has not been synced', 'The store is being synced again'])
  expect((await world.request('GET', '/readyz')).body.alarms).toEqual([])
})

test('carts not detected as abandoned raise an alarm within 15 minutes', async () => {
  await live(10, sync, 5)
  await dueCarts(3)
  await live(60, sync, 5) // the store's timeout
  expect(await titles()).toEqual([])
  await live(8, sync)
  expect(await titles()).toEqual(['Abandoned carts are not being detected'])
  expect(await message()).toContain('3 carts should be abandoned by now')
  await detectAbandoned(world.deps)
  await live(1, sync)
  expect((await titles()).at(-1)).toBe('Abandoned carts are being detected again')
})

test('an import of old carts raises no detection alarm', async () => {
  await live(10, sync, 5)
  await live(
    30,
    async () => {
      await sync()
      const modifiedAt = new Date(world.now.getTime() - 40 * 24 * HOUR_MS).toISOString()
      await recordOrders(world.deps, store.storeId, [buildOrder(world, { createdAt: modifiedAt, modifiedAt })], 'sync')
      await watchStages(world.deps)
      await detectAbandoned(world.deps)
    },
    3,
  )
  expect(await titles()).toEqual([])
})

test('due messages that no process claims raise an alarm within 15 minutes, held ones do not', async () => {
  await dueCarts(2)
  await live(
    62,
    async () => {
      await sync()
      await detectAbandoned(world.deps)
    },
    2,
  )
  await live(9, sync)
  expect(await titles()).toEqual([])
  await live(6, sync)
  expect(await titles()).toEqual(['Messages are not being sent'])
  expect(await message()).toContain('2 messages wait')
  await freshOrderCheck()
  await sendDue(world.deps, { storeId: store.storeId })
  await live(1, sync)
  expect((await titles()).at(-1)).toBe('Messages are being sent again')

  await dueCarts(2)
  await world.db.updateTable('stores').set({ sender_name: '' }).where('id', '=', store.storeId).execute()
  const before = (await titles()).length
  await live(
    100,
    async () => {
      await sync()
      await detectAbandoned(world.deps)
      await freshOrderCheck()
      await sendDue(world.deps, { storeId: store.storeId })
    },
    5,
  )
  expect(await titles()).toHaveLength(before)
})

test('a failing mail server raises an alarm with its reply; one greylisted message does not', async () => {
  const work = async () => {
    await sync()
    await detectAbandoned(world.deps)
    await freshOrderCheck()
    await sendDue(world.deps, { storeId: store.storeId })
  }
  world.answer = () => ({ kind: 'retry', reason: 'smtp_451', response: '451 4.7.1 Greylisted' })
  await dueCarts(1)
  await live(100, work, 5)
  expect(await titles()).toEqual([])
  await world.db.updateTable('messages').set({ state: 'cancelled' }).where('store_id', '=', store.storeId).execute()
  world.answer = () => ({ kind: 'retry', reason: 'connection_refused', response: 'connect ECONNREFUSED' })
  await dueCarts(2)
  await live(60, work, 5)
  expect(await titles()).toEqual([])
  await live(15, work)
  expect(await titles()).toEqual(['The mail server accepts no messages'])
  expect(await message()).toContain('"connect ECONNREFUSED"')
  world.answer = (mail) => ({ kind: 'accepted', providerId: mail.messageId, response: '250 queued' })
  await live(20, work, 4)
  expect(await titles()).toHaveLength(2)
})

/** Four weeks in which the script was heard every minute of the day and hardly ever at night. */
async function history(since: Date): Promise<void> {
  const hours = Array.from({ length: 28 * 24 }, (_, n) => new Date(since.getTime() + n * HOUR_MS))
  await watchStages(world.deps)
  await world.db.updateTable('heartbeats').set({ watched_since: since }).where('store_id', '=', store.storeId).execute()
  await world.db
    .insertInto('heartbeat_hours')
    .values(
      hours.map((hour) => ({
        store_id: store.storeId,
        stage: 'capture',
        hour,
        minutes: isDay(hour) ? 60 : 1,
      })),
    )
    .execute()
}

/** 9:00 to 21:00 in New York, where the store is. */
const isDay = (at: Date) => {
  const local = (at.getUTCHours() + 19) % 24
  return local >= 9 && local < 21
}

const heard = () =>
  world.db.updateTable('stores').set({ capture_seen_at: world.now }).where('id', '=', store.storeId).execute()

test('a script silent in busy hours raises an alarm within 15 minutes, and a quiet night does not', async () => {
  world.now = new Date(Math.ceil(world.now.getTime() / (24 * HOUR_MS)) * 24 * HOUR_MS + 15 * HOUR_MS)
  await history(new Date(world.now.getTime() - 28 * 24 * HOUR_MS))
  const busy = async () => {
    await sync()
    if (isDay(world.now)) await heard()
  }
  // To noon: the hours beside a night's edge count for less.
  await live(25 * 60 + 30, busy, 5)
  await live(30, busy)
  expect(await titles()).toEqual([])
  await live(15, sync)
  expect(await titles()).toEqual(['No carts are coming in'])
  await live(2, busy)
  expect((await titles()).at(-1)).toBe('Carts are coming in again')
})

/** The rows that the next check would read. */
async function concerns(): Promise<string[]> {
  const before = (ms: number) => new Date(world.now.getTime() - ms)
  const checks = await listStoresToCheck(world.db, {
    now: world.now,
    sync: before(rules.SYNC_LIMIT_MS),
    detection: before(rules.DETECTION_LIMIT_MS),
    sending: before(rules.SENDING_LIMIT_MS),
    reports: before(rules.REPORT_LIMIT_MS),
    history: before(rules.HISTORY_DAYS * 24 * HOUR_MS),
  })
  return checks.map((check) => check.store_id)
}

test('the watch skips working stores, reads a busy one about every seven minutes, and a stopping one at once', async () => {
  world.now = new Date(Math.ceil(world.now.getTime() / (24 * HOUR_MS)) * 24 * HOUR_MS + 17 * HOUR_MS)
  await history(new Date(world.now.getTime() - 28 * 24 * HOUR_MS))
  const quiet = await createStore(world)
  const busy = async () => {
    await sync()
    await heard()
  }
  await live(10, busy)
  let reads = 0
  await live(20, async () => {
    await busy()
    const found = await concerns()
    reads += found.length
    expect(found).not.toContain(quiet.storeId)
  })
  expect(reads).toBeGreaterThan(0)
  expect(reads).toBeLessThanOrEqual(5)
  world.advance(rules.SYNC_LIMIT_MS)
  expect(await concerns()).toContain(quiet.storeId)
})

test('an offline shop raises the sync alarm, not the capture alarm', async () => {
  world.now = new Date(Math.ceil(world.now.getTime() / (24 * HOUR_MS)) * 24 * HOUR_MS + 15 * HOUR_MS)
  await history(new Date(world.now.getTime() - 28 * 24 * HOUR_MS))
  await live(
    60,
    async () => {
      await sync()
      await heard()
    },
    5,
  )
  await world.db
    .updateTable('sync_state')
    .set({ error_code: 'unreachable', failed_at: world.now })
    .where('store_id', '=', store.storeId)
    .where('stream', '=', 'sweep')
    .execute()
  await live(60, doNothing, 5)
  await live(5, sync)
  expect(await titles()).toEqual(['The store has not been synced', 'The store is being synced again'])
})

test('after three unwatched days everything gets time to catch up', async () => {
  await sync()
  await dueCarts(1)
  await live(10, sync, 5)
  world.advance(72 * HOUR_MS)
  await live(4)
  await detectAbandoned(world.deps)
  await sync()
  await freshOrderCheck()
  await sendDue(world.deps, { storeId: store.storeId })
  await live(30, sync)
  expect(await titles()).toEqual([])
})

test('a clock set back a day neither silences nor raises an alarm', async () => {
  await live(10, sync, 5)
  world.advance(-24 * HOUR_MS)
  await live(40, sync, 5)
  expect(await titles()).toEqual([])
  await live(45, doNothing, 5)
  expect(await titles()).toEqual(['The store has not been synced'])
})

test('two workers raise one alarm, and a disconnected store raises none', async () => {
  await sync()
  await live(30, doNothing, 5)
  await live(1)
  expect(await titles()).toEqual([])
  world.advance(MINUTE)
  await Promise.all([watchStages(world.deps), watchStages(world.deps)])
  expect(await titles()).toHaveLength(1)
  await world.db.updateTable('stores').set({ is_active: false }).where('id', '=', store.storeId).execute()
  await live(1)
  expect(await titles()).toHaveLength(1)
  expect((await world.request('GET', '/readyz')).body.alarms).toEqual([])
})

test('pings the external monitor every minute and reports a stopped stage', async () => {
  const requests: string[] = []
  const server = http.createServer((request, reply) => {
    requests.push(request.url!)
    reply.end('OK')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { config } = world.deps
  world.deps.config = { ...config, alarmPingUrl: `http://127.0.0.1:${port}/check/` }
  await live(3, sync)
  expect(requests).toEqual(['/check/', '/check/', '/check/'])
  await live(34, doNothing, 2)
  expect(requests.at(-1)).toBe('/check/fail')
  await live(1, sync)
  expect(requests.at(-1)).toBe('/check/')
  await new Promise((resolve) => server.close(resolve))
  // Without a monitor the checks continue.
  await live(1, sync)
  world.deps.config = config
})
