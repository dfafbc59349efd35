import { beforeAll, describe, expect, test, vi } from 'vitest'
import { groupNotifications } from '../../server/access/notifications/group.ts'
import { mailDueNotifications, readRowsToMail } from '../../server/access/notifications/mails.ts'
import {
  countUnread,
  deleteNotifications,
  listForMember,
  listNewCarts,
  markRead,
  readNotification,
  restoreNotifications,
} from '../../server/access/notifications/member.ts'
import { findNewestInstant, listNewsSince } from '../../server/access/notifications/news-sql.ts'
import { deleteOldNotifications } from '../../server/access/notifications/tidy.ts'
import { sql } from '../../server/core/db/db.ts'
import { listNotifications, MAX_NOTIFICATIONS_COUNTED } from '../../shared/workspace/notification-calls.ts'
import { createStore, type TestStore } from '../../test/factories.ts'
import {
  type ExplainedStatement,
  FEW_ROWS,
  findPlanFaults,
  listPlanNodes,
  type PlanWatch,
  watchPlans,
} from '../../test/plans.ts'
import { createWorld } from '../../test/world.ts'

// Query plans as in engine.test.ts for notifications: 30,000 in a store, 20,000 of its account, 60,000 of other stores.
// Each statement is also checked as a prepared one, because PostgreSQL may then choose a generic plan.

const LARGE = [
  'notifications',
  'account_notifications',
  'notification_marks',
  'account_notification_marks',
  'pending_notifications',
  'notification_hours',
  'recoveries_told',
]
const OF_STORE = 30_000
const OF_ACCOUNT = 20_000
const OF_OTHERS = 60_000
const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS

const world = createWorld()
let store: TestStore
/** A small store of an account that also has large ones. */
let small: TestStore
let watch: PlanWatch

beforeAll(async () => {
  store = await createStore(world)
  const others = [await createStore(world), await createStore(world), await createStore(world)]
  small = await createStore(world, { accountId: others[0]!.accountId })
  const client = await world.pool.connect()
  // Rows that foreign keys would check for each.
  await client.query('begin; set local session_replication_role = replica')
  const fill = (table: string, ids: string[], count: number) =>
    client.query(
      `insert into ${table} (${table === 'notifications' ? 'store_id' : 'account_id'}, id, type, data, search, is_problem, created_at)
       select ($1::uuid[])[1 + n % cardinality($1::uuid[])], gen_random_uuid(), type, data, lower(data::text), type = 'capture_flood',
         $2::timestamptz - n * interval '1 minute'
       from (select n, case when n % 5 < 2 then 'cart_abandoned' when n % 20 = 2 then 'capture_flood' else 'connection_test' end as type,
         jsonb_build_object('customer', 'Ada ' || n, 'itemCount', 1, 'ceiling', n, 'test', true, 'channel', 'store', 'to', 'x') as data
         from generate_series(1, $3::int) n) rows`,
      [ids, world.now, count],
    )
  await fill('notifications', [store.storeId], OF_STORE)
  await fill('notifications', [small.storeId], 30)
  await fill(
    'notifications',
    others.map(({ storeId }) => storeId),
    OF_OTHERS,
  )
  await fill('account_notifications', [store.accountId], OF_ACCOUNT)
  await fill('account_notifications', [small.accountId], OF_ACCOUNT)
  // One of four of the member's newest is read, some are deleted; five others have read all.
  const everybody = [...others, await createStore(world), await createStore(world)].map(
    ({ userId }) => [userId, 1] as const,
  )
  for (const [userId, every] of [[store.userId, 4] as const, ...everybody]) {
    await client.query(
      `insert into notification_marks (store_id, user_id, notification_id, created_at, is_read, is_deleted)
       select store_id, $2, id, created_at, n % 28 > 0, n % 28 = 0
       from (select *, row_number() over (order by created_at desc) as n from notifications where store_id = $1) n
       where n % $3::int = 0 and n <= 20000`,
      [store.storeId, userId, every],
    )
  }
  await client.query('commit')
  client.release()
  for (const table of ['notifications', 'account_notifications', 'notification_marks']) await vacuum(table)
  watch = watchPlans(world.pool, { repeated: true })
}, 60_000)

/** Rows are marked all-visible once their commit is flushed, which the test server does a moment later. */
const vacuum = (table: string) =>
  vi.waitFor(async () => {
    await world.pool.query(`vacuum analyze ${table}`)
    const { rows } = await world.pool.query('select relpages, relallvisible from pg_class where relname = $1', [table])
    expect(rows[0].relallvisible).toBe(rows[0].relpages)
  }, 10_000)

const reader = (of = store) => ({ store: { storeId: of.storeId, db: world.db }, userId: of.userId })
const list = (query: object, of = store) => listForMember(reader(of), listNotifications.query.parse(query))

async function expectCheap(
  work: () => Promise<unknown>,
  limits: { rows?: number; sorted?: number } = {},
): Promise<ExplainedStatement[]> {
  const plans = await watch.during(work)
  expect(plans.length).toBeGreaterThan(0)
  expect(findPlanFaults(plans, { large: LARGE, rows: FEW_ROWS, ...limits }).join('\n')).toBe('')
  return plans
}

/** Indexes by which a table was read. */
function listIndexes(plans: readonly ExplainedStatement[], table: string): string[] {
  const names = plans.flatMap(({ plan }) => listPlanNodes(plan)).map((node) => node['Index Name'] ?? '')
  return [...new Set(names.filter((name) => name.startsWith(`${table}_`)))].sort()
}

/** At most 10,000 are counted, without a sort. */
const COUNTED = { rows: MAX_NOTIFICATIONS_COUNTED + 1, sorted: FEW_ROWS }

describe('the lists', () => {
  test.each<[string, object, string, { sorted?: number }?]>([
    ['all', {}, 'newest'],
    ['without tests', { skipTestNotification: '1' }, 'newest'],
    ['unread ones', { filter: 'unread' }, 'newest'],
    ['problems', { filter: 'problems' }, 'problems'],
    ['new carts', { filter: 'new-carts' }, 'new_carts'],
    ['one far below', { page: '400' }, 'newest', { sorted: 10_000 }],
    ['problems far below', { filter: 'problems', page: '100' }, 'problems'],
  ])('a page of %s', async (_, query, index, limits = {}) => {
    const plans = await expectCheap(() => list(query), { ...COUNTED, ...limits })
    expect(listIndexes(plans, 'notifications')).toEqual([`notifications_${index}`, 'notifications_pkey'].sort())
  })

  test('totals are counted in the index only', async () => {
    const plans = await watch.during(() => list({ limit: '1' }))
    const scans = plans
      .flatMap(({ plan }) => listPlanNodes(plan))
      .filter((node) => node['Index Name']?.endsWith('_newest'))
    expect([...new Set(scans.map((node) => node['Node Type']))]).toEqual(['Index Only Scan'])
    expect(Math.max(...scans.map((node) => node['Actual Rows']))).toBe(MAX_NOTIFICATIONS_COUNTED)
    expect(Math.max(...scans.map((node) => node['Heap Fetches']!))).toBe(0)
  })

  test('notifications after a given one are read from there on', async () => {
    const { notifications } = await list({ page: '10' })
    await expectCheap(() => list({ after: notifications[0]!._id }), { rows: 200 })
  })

  test('a search scans the newest 10,000', async () => {
    const plans = await expectCheap(() => list({ search: 'ada 77' }), COUNTED)
    expect(listIndexes(plans, 'notifications')).toEqual(['notifications_newest', 'notifications_pkey'])
  })

  test('the list and the search of a small store read no rows of a large store', async () => {
    for (const query of [{}, { search: 'ada 7' }, { filter: 'new-carts', search: 'ada 7' }]) {
      const plans = await expectCheap(() => list(query, small), COUNTED)
      const scans = plans
        .flatMap(({ plan }) => listPlanNodes(plan))
        .filter((node) => node['Relation Name'] === 'notifications')
      expect(
        Math.max(...scans.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0))),
      ).toBeLessThan(31)
    }
  })

  test('the newest hundred carts', () => expectCheap(() => listNewCarts(reader()), { rows: 200 }))
  test('the unread count', () => expectCheap(() => countUnread(reader()), { rows: 300 }))
  test('one by its id', async () => {
    const { notifications } = await list({ page: '10' })
    await expectCheap(() => readNotification(reader(), notifications[0]!._id), { rows: 1 })
  })
})

test('marking and deleting, all and some, and undoing it', async () => {
  const { notifications } = await list({ page: '10' })
  const ids = notifications.map(({ _id }) => _id)
  // The first of many marks: those beyond the end of the lists are deleted.
  await expectCheap(() => markRead(reader(), { ids: ids.slice(0, 1) }, true), COUNTED)
  await expectCheap(() => markRead(reader(), { ids }, true), COUNTED)
  await expectCheap(() => markRead(reader(), { ids: ids.slice(1) }, false))
  await expectCheap(() => markRead(reader(), { ids: [], upTo: ids[0] }, true), { rows: 3_000 })
  let undo: string | null = null
  await expectCheap(
    async () => {
      undo = await deleteNotifications(reader(), { ids: ids.slice(0, 4), upTo: ids[5]! })
    },
    { rows: 300 },
  )
  await expectCheap(() => restoreNotifications(reader(), undo!), { rows: 300 })
})

test('grouping takes the oldest pending rows by index, however many wait', async () => {
  await sql`insert into pending_notifications (store_id, id, type, data, created_at)
    select (${[store.storeId, small.storeId]}::uuid[])[1 + n % 2], gen_random_uuid(), 'email_sent',
      '{"to": "ada@example.com", "step": 1, "cartId": null, "messageId": null, "isInMailbox": false}', ${world.now}
    from generate_series(1, 5000) n`.execute(world.db)
  // Autovacuum between two rounds would change the statistics.
  await sql`alter table pending_notifications set (autovacuum_enabled = false)`.execute(world.db)
  await sql`analyze pending_notifications`.execute(world.db)
  const plans = await expectCheap(() => groupNotifications(world.deps), { rows: 1_000, sorted: 1_000 })
  expect(listIndexes(plans, 'pending_notifications')).toContain('pending_notifications_next')
})

test('new notifications for open browsers and for mails', async () => {
  const from = new Date(world.now.getTime() - 60 * MINUTE_MS)
  await expectCheap(() => findNewestInstant(reader().store))
  await expectCheap(() => listNewsSince(reader().store, from, 50), { rows: 100 })
  const mail = { accountId: store.accountId, userId: store.userId, upTo: world.now }
  await expectCheap(() => readRowsToMail(world.deps, { ...mail, kind: 'at_once', from }), { rows: 100 })
  await expectCheap(() =>
    readRowsToMail(world.deps, { ...mail, kind: 'at_once', from: new Date(from.getTime() - DAY_MS) }),
  )
  await expectCheap(() => mailDueNotifications(world.deps))
})

test('cleanup deletes slices from the old end of each store', async () => {
  for (const { storeId } of [store, small]) {
    await sql`insert into notification_hours (store_id, topic, hour, count)
      select ${storeId}, 'topic ' || n % 20, ${world.now}::timestamptz - n / 20 * interval '1 hour', 1 from generate_series(1, 3000) n`.execute(
      world.db,
    )
  }
  await sql`insert into recoveries_told (store_id, cart_id, at)
    select ${store.storeId}, gen_random_uuid(), ${world.now}::timestamptz - n * interval '2 minutes' from generate_series(1, 5000) n`.execute(
    world.db,
  )
  await sql`analyze notification_hours, recoveries_told`.execute(world.db)
  world.advance(72 * DAY_MS)
  const plans = await expectCheap(() => deleteOldNotifications(world.deps), { rows: 2_100, sorted: 0 })
  expect(listIndexes(plans, 'notifications')).toEqual(['notifications_newest'])
  expect(listIndexes(plans, 'account_notifications')).toEqual(['account_notifications_newest'])
  const { rows } = await sql<{ oldest: Date; left: number }>`
    select min(created_at) as oldest, count(*)::int as left from notifications where store_id = ${store.storeId}`.execute(
    world.db,
  )
  expect(rows[0]!.left).toBeLessThan(OF_STORE)
  expect(rows[0]!.oldest.getTime()).toBe(world.now.getTime() - 90 * DAY_MS)
})
