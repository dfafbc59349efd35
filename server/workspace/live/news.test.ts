import type { AddressInfo } from 'node:net'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { NotificationEvent } from '../../../shared/workspace/notification-calls.ts'
import { createColleague, createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { groupNotifications } from '../../access/notifications/group.ts'
import { notify, notifyAccount } from '../../access/notifications/notifications.ts'
import { buildApp } from '../../app.ts'
import { createId } from '../../core/common/ids.ts'
import { sql } from '../../core/db/db.ts'
import { News } from './news.ts'

// Decision 68 over real connections: notifications reach all open tabs of the members concerned, and no others.

const world = createWorld()
const open: Socket[] = []
let address: string

beforeAll(async () => {
  await world.app.close()
  world.app = buildApp(world.deps)
  await world.app.listen({ port: 0, host: '127.0.0.1' })
  address = `http://127.0.0.1:${(world.app.server.address() as AddressInfo).port}`
  await isListened()
})

afterEach(() => {
  for (const socket of open.splice(0)) socket.disconnect()
})

/** The keep-alive query `select 1` is its last statement. */
const isListened = () =>
  vi.waitFor(async () => {
    const { rows } = await sql`
      select 1 from pg_stat_activity
      where application_name = 'recoup-live' and datname = current_database() and query in ('listen recoup_live', 'select 1')`.execute(
      world.db,
    )
    expect(rows).toHaveLength(1)
  }, 30_000)

async function tab(token: string, platform: unknown = 'woocommerce') {
  const socket = io(address, { auth: { token }, forceNew: true, reconnection: false })
  open.push(socket)
  const heard: NotificationEvent[] = []
  const changed: string[] = []
  socket.on('notification', (event) => heard.push(event))
  socket.on('store-changed', (event) => changed.push(...event.changed))
  await new Promise<void>((resolve, reject) => socket.on('connect', resolve).on('connect_error', reject))
  await socket.timeout(30_000).emitWithAck('join-platform', platform)
  return { socket, heard, changed }
}

async function flood({ storeId }: Pick<TestStore, 'storeId'>, ceiling = 70) {
  await notify({ storeId, db: world.db }, { type: 'capture_flood', data: { ceiling }, at: world.now })
  await groupNotifications(world.deps)
}

const ceilings = (heard: readonly NotificationEvent[]) =>
  heard.map((event) => event.type === 'new' && event.notification.data.ceiling)
const waitForNews = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 10 })
const call = (method: string, token: string, rest: string, body?: object) =>
  world.request(method, `/api/notifications${rest}`, { token, ...(body && { body }) })

test('a new notification reaches every tab of every member, and no other account', async () => {
  const [store, otherStore] = [await createStore(world), await createStore(world)]
  const { token } = await createColleague(world, store)
  const tabs = [await tab(store.token), await tab(store.token), await tab(token)]
  const others = [
    await tab(otherStore.token),
    await tab(otherStore.token, store.storeId),
    await tab(otherStore.token, { storeId: store.storeId, accountId: store.accountId }),
  ]
  await flood(store, 71)
  await waitForNews(() => expect(tabs.map(({ heard }) => heard.length)).toEqual([1, 1, 1]))
  const [listed] = (await call('GET', token, '')).body.notifications
  expect(tabs.map(({ heard }) => heard)).toEqual(Array(3).fill([{ type: 'new', notification: listed }]))
  await notifyAccount(
    { accountId: store.accountId, db: world.db },
    { type: 'domain_reopened', data: { domain: 'x.example' }, at: world.now },
  )
  await groupNotifications(world.deps)
  await waitForNews(() => expect(tabs.map(({ heard }) => heard.length)).toEqual([2, 2, 2]))
  expect(tabs[0]!.heard[1]).toMatchObject({ notification: { type: 'domain_reopened' } })
  expect(others.map(({ heard }) => heard)).toEqual([[], [], []])
})

test("another store's tabs get account notifications, but not those of the first store", async () => {
  const first = await createStore(world)
  const second = await createStore(world, { accountId: first.accountId })
  await world.db
    .updateTable('sessions')
    .set({ store_id: first.storeId })
    .where('account_id', '=', first.accountId)
    .execute()
  const here = await tab(first.token)
  await flood(second)
  await flood(first, 72)
  await waitForNews(() => expect(ceilings(here.heard)).toEqual([72]))
})

test('read and deleted reach other tabs of the member, and no other member (A 7)', { tags: ['A7'] }, async () => {
  const store = await createStore(world)
  const colleague = await createColleague(world, store)
  await flood(store, 1)
  await flood(store, 2)
  const [second, first] = (await call('GET', store.token, '')).body.notifications.map(({ _id }: { _id: string }) => _id)
  const own = await tab(store.token)
  const theirs = await tab(colleague.token)
  const { body } = await call('POST', store.token, '/mark-read', { notificationIds: [first, createId()] })
  expect(body.count).toBe(1)
  await call('POST', store.token, '/mark-read', { notificationIds: [first], read: false })
  await call('POST', store.token, '/mark-read', { upTo: second })
  const deleted = await call('DELETE', store.token, '', { notificationIds: [second] })
  await call('POST', store.token, '/restore', { undo: deleted.body.undo })
  await call('DELETE', store.token, '', { upTo: first })
  await waitForNews(() => expect(own.heard).toHaveLength(5))
  expect(own.heard).toEqual([
    { type: 'read', notificationIds: [first], read: true },
    { type: 'read', notificationIds: [first], read: false },
    { type: 'read', notificationIds: [], upTo: second, read: true },
    { type: 'delete', notificationIds: [second] },
    { type: 'delete', notificationIds: [], upTo: first },
  ])
  expect(own.changed).toEqual(['notifications'])
  expect([theirs.heard, theirs.changed]).toEqual([[], []])
})

test("mark-notifications-read affects only the session's own notifications (A 7)", async () => {
  const [store, otherStore] = [await createStore(world), await createStore(world)]
  await flood(store, 1)
  const [{ _id }] = (await call('GET', store.token, '')).body.notifications
  const marked = { notificationIds: [_id], platform: 'woocommerce' }
  const forged = await tab(otherStore.token)
  const unread = async () => (await call('GET', store.token, '/unread-count')).body.count
  expect(await forged.socket.emitWithAck('mark-notifications-read', marked)).toEqual({ success: true })
  expect(await unread()).toBe(1)
  const own = await tab(store.token)
  expect(await own.socket.emitWithAck('mark-notifications-read', marked)).toEqual({ success: true })
  expect(await unread()).toBe(0)
  await waitForNews(() => expect(own.heard).toEqual([{ type: 'read', notificationIds: [_id], read: true }]))
  for (const nonsense of [null, 'x', { notificationIds: 7 }, { notificationIds: Array(51).fill(_id) }]) {
    expect(await own.socket.emitWithAck('mark-notifications-read', nonsense)).toEqual({ success: false })
  }
})

test('the server excludes topics that a member has disabled', async () => {
  const store = await createStore(world)
  const colleague = await createColleague(world, store)
  await world.db
    .insertInto('notification_preferences')
    .values({ account_id: store.accountId, user_id: colleague.userId, topic: 'capture', bell: false, mail: 'none' })
    .execute()
  const [own, theirs] = [await tab(store.token), await tab(colleague.token)]
  await flood(store, 1)
  await notify(
    { storeId: store.storeId, db: world.db },
    { type: 'connection_test', data: { test: true, channel: 'store', to: 'x' }, at: world.now },
  )
  await groupNotifications(world.deps)
  await waitForNews(() => expect([own.heard.length, theirs.heard.length]).toEqual([2, 1]))
  expect(theirs.heard[0]).toMatchObject({ notification: { type: 'connection_test' } })
  expect((await call('GET', colleague.token, '/unread-count')).body.count).toBe(1)
  expect((await call('GET', colleague.token, '')).body.notifications).toHaveLength(1)
})

test('the server catches up after a lost database connection (decision 68)', async () => {
  const store = await createStore(world)
  const { heard } = await tab(store.token)
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'recoup-live' and datname = current_database()`.execute(world.db)
  await flood(store, 1)
  await flood(store, 2)
  await waitForNews(() => expect(ceilings(heard)).toEqual([1, 2]))
  await isListened()
})

test('the server tells the browser to reload the list when there are very many', async () => {
  const store = await createStore(world)
  const { heard, changed } = await tab(store.token)
  await sql`insert into pending_notifications (store_id, id, type, data, created_at)
    select ${store.storeId}, gen_random_uuid(), 'capture_flood', '{"ceiling": 1}', ${world.now} from generate_series(1, 600)`.execute(
    world.db,
  )
  await groupNotifications(world.deps)
  await waitForNews(() => expect(changed).toContain('notifications'))
  // Events arrive in order: all of the flood would precede this one.
  await flood(store, 9)
  await waitForNews(() => expect(ceilings(heard)).toContain(9))
  expect(heard.length).toBeLessThan(600)
})

test('a growing summary makes open lists reload instead of adding a notification', async () => {
  const store = await createStore(world)
  const sent = async () => {
    const data = { cartId: createId(), messageId: createId(), step: 1, to: 'a@b.example', isInMailbox: false }
    await notify({ storeId: store.storeId, db: world.db }, { type: 'email_sent', data, at: world.now })
    await groupNotifications(world.deps)
  }
  await sent()
  const { heard, changed } = await tab(store.token)
  await sent()
  await waitForNews(() => expect(changed).toContain('notifications'))
  expect(heard).toEqual([])
})

test('the server skips clients that leave during the read, and includes those that join', async () => {
  const store = await createStore(world)
  const heard: string[] = []
  const named = (name: string) => ({ ...store, emit: () => heard.push(name) })
  const rooms = [[named('left')], [named('left')]]
  const news = new News(world.deps, { watchers: () => rooms.shift() ?? [named('joined')], overflow: () => {} })
  await news.open(store.storeId)
  await flood(store)
  news.hear(store.storeId)
  await waitForNews(() => expect(heard).toEqual(['joined']))
  news.stop()
})
