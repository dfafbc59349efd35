import { beforeEach, expect, test } from 'vitest'
import { listNotifications, MAX_NOTIFICATIONS_COUNTED } from '../../../shared/workspace/notification-calls.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { isFullRun } from '../../../test/seed.ts'
import { createWorld } from '../../../test/world.ts'
import { sql } from '../../core/db/db.ts'
import { MAX_SINGLE_MARKS } from './compact.ts'
import { groupNotifications } from './group.ts'
import { deleteNotifications, listForMember, markRead, restoreNotifications } from './member.ts'
import { notifyAccount } from './notifications.ts'
import { deleteOldNotifications } from './tidy.ts'

// Decision 66: reading one by one leaves few marks, at any length of time, and keeps the read state.

const world = createWorld()
let store: TestStore
let written: number

beforeEach(async () => {
  store = await createStore(world)
  written = 0
})

const reader = () => ({ store: { storeId: store.storeId, db: world.db }, userId: store.userId })

/** Writes notifications a minute apart. Returns their ids, oldest first. */
async function write(count: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into notifications (store_id, id, type, data, created_at)
    select ${store.storeId}, gen_random_uuid(), 'capture_flood', jsonb_build_object('ceiling', n),
      ${world.now}::timestamptz + (n - 1000000) * interval '1 minute'
    from generate_series(${written + 1}::int, ${written + count}::int) n returning id`.execute(world.db)
  written += count
  return rows.map(({ id }) => id)
}

async function countMarks(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from notification_marks where store_id = ${store.storeId}`.execute(world.db)
  return rows[0]!.count
}

/** The read state of the newest rows as the member sees them; with `step`, of one hundred in every `step` hundred. */
async function flags(count: number, { step = 1 } = {}): Promise<Map<string, boolean>> {
  const flagById = new Map<string, boolean>()
  for (let page = 1; page <= Math.ceil(count / 100); page += step) {
    const query = listNotifications.query.parse({ page: String(page), limit: '100' })
    const { notifications } = await listForMember(reader(), query)
    for (const { _id, read } of notifications) flagById.set(_id, read)
  }
  return flagById
}

/** All rows read on some days are marked together. */
const DAYS_AT_ONCE = isFullRun ? 1 : 3

test.each([
  ['nine of ten', (n: number) => n % 10 !== 0, 2_000],
  ['one of five', (n: number) => n % 5 === 0, 3_000],
  ['every second one', (n: number) => n % 2 === 0, 6_000],
])('a member who reads %s for three months has few marks and keeps every read state', async (_, isRead, max) => {
  const read = new Set<string>()
  let largest = 0
  for (let day = 0; day < 90; day += DAYS_AT_ONCE) {
    const ids = (await write(200 * DAYS_AT_ONCE)).filter((_id, n) => isRead(n))
    for (const id of ids) read.add(id)
    await markRead(reader(), { ids }, true)
    largest = Math.max(largest, await countMarks())
  }
  expect(read.size).toBeGreaterThan(3_000)
  expect(largest).toBeLessThan(max)
  const flagById = await flags(MAX_NOTIFICATIONS_COUNTED, { step: 11 })
  expect(flagById.size).toBe(1_000)
  expect([...flagById].filter(([id, isListedRead]) => isListedRead !== read.has(id))).toEqual([])
})

test('unread marks and deletions survive compaction, and rows of the account are compacted separately', async () => {
  await notifyAccount(
    { accountId: store.accountId, db: world.db },
    { type: 'domain_reopened', data: { domain: 'mail.example' }, at: world.now },
  )
  await groupNotifications(world.deps)
  const ids = await write(MAX_SINGLE_MARKS + 50)
  const undo = await deleteNotifications(reader(), { ids: ids.slice(0, 20) })
  await markRead(reader(), { ids: ids.slice(0, 300) }, true)
  await markRead(reader(), { ids: ids.slice(300, MAX_SINGLE_MARKS + 20) }, true)
  await markRead(reader(), { ids: [ids[100]!] }, false)
  await markRead(reader(), { ids: [ids.at(-1)!] }, true)
  expect(await countMarks()).toBeLessThan(50)
  const isRead = (id: string, n: number) => id === ids.at(-1) || (n < MAX_SINGLE_MARKS + 20 && n !== 100)
  const expected = () => ids.flatMap((id, n) => (n < 20 ? [] : [[id, isRead(id, n)] as const])).reverse()
  const before = [...(await flags(600))]
  expect(before[0]![1]).toBe(false)
  expect(before.slice(1)).toEqual(expected())
  await restoreNotifications(reader(), undo!)
  expect((await flags(600)).size).toBe(ids.length + 1)
})

test('several browsers of one member lose nothing concurrently', async () => {
  const ids = await write(2_000)
  const pieces = Array.from({ length: 40 }, (_, n) => ids.slice(n * 45, n * 45 + 60))
  await Promise.all(pieces.map((piece) => markRead(reader(), { ids: piece.toReversed() }, true)))
  await markRead(reader(), { ids: [ids[0]!] }, true)
  const flagById = await flags(2_000)
  const last = 39 * 45 + 60
  expect(ids.filter((id, n) => flagById.get(id) !== n < last)).toEqual([])
  expect(await countMarks()).toBeLessThan(2 * MAX_SINGLE_MARKS)
})

test('"Clear all" also removes the marks of earlier single deletions', async () => {
  const ids = await write(30)
  await deleteNotifications(reader(), { ids: ids.slice(0, 10) })
  const undo = await deleteNotifications(reader(), { ids: [], upTo: ids[19]! })
  expect(await countMarks()).toBe(10)
  await restoreNotifications(reader(), undo!)
  expect((await flags(100)).size).toBe(20)
  await deleteNotifications(reader(), { ids: [], upTo: ids[19]! })
  await deleteNotifications(reader(), { ids: [], upTo: ids[24]! })
  expect(await countMarks()).toBe(0)
  expect((await flags(100)).size).toBe(5)
})

test('marks are deleted with their notifications after 90 days', async () => {
  const ids = await write(300)
  await markRead(reader(), { ids }, true)
  await deleteNotifications(reader(), { ids: ids.slice(0, 10) })
  expect(await countMarks()).toBe(300)
  await deleteOldNotifications(world.deps)
  expect(await countMarks()).toBe(0)
})
