import { beforeEach, expect, test } from 'vitest'
import { createColleague, createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { groupNotifications } from './group.ts'
import { notify, notifyAccount } from './notifications.ts'

// A 7, B 7 and decisions 66, 67 and 130: how a member lists, reads and deletes notifications.

const world = createWorld()
let store: TestStore

beforeEach(async () => {
  store = await createStore(world)
})

const at = (ms = 0) => new Date(world.now.getTime() + ms)
const inStore = () => ({ storeId: store.storeId, db: world.db })

/** Capture floods, which are never grouped; their ceilings identify them. The last one is the newest. */
async function floods(count: number, { first = 1 } = {}) {
  for (let n = first; n < first + count; n++) {
    await notify(inStore(), { type: 'capture_flood', data: { ceiling: n }, at: at(n) })
  }
  await groupNotifications(world.deps)
}

async function abandonCarts(count: number) {
  for (let n = 1; n <= count; n++) {
    const about = { cartId: createId(), customer: `Ada ${n}`, itemCount: 1, value: 100, currency: 'USD' }
    // Eight a day, so that none are grouped.
    const timestamp = at(n * 3 * 3_600_000)
    const data = { ...about, timestamp: timestamp.toISOString() }
    await notify(inStore(), { type: 'cart_abandoned', data, at: timestamp })
  }
  await groupNotifications(world.deps)
}

const ask = (method: string, rest = '', body?: object, token = store.token) =>
  world.request(method, `/api/notifications${rest}`, { token, ...(body && { body }) })
const listed = async (query = '', token = store.token) =>
  (await ask('GET', query, undefined, token)).body.notifications as {
    _id: string
    read: boolean
    data: { ceiling: number }
  }[]
const ceilings = async (query = '', token = store.token) => (await listed(query, token)).map(({ data }) => data.ceiling)
const unread = async (token = store.token) => (await ask('GET', '/unread-count', undefined, token)).body.count

test('lists ten per page, newest first, with the number of pages (A 3, A 7, A 9)', {
  tags: ['A3', 'A7'],
}, async () => {
  await floods(23)
  const { body } = await ask('GET', '?platform=woocommerce')
  expect(body.pagination).toEqual({ page: 1, limit: 10, total: 23, pages: 3 })
  expect(body.notifications).toHaveLength(10)
  expect(body.notifications[0]).toEqual({
    _id: expect.any(String),
    type: 'capture_flood',
    title: 'Unusually many new contacts',
    message: expect.stringContaining('more than 23 new contacts'),
    createdAt: at(23).toISOString(),
    read: false,
    zone: null,
    data: { ceiling: 23 },
  })
  expect(await ceilings('?page=3')).toEqual([3, 2, 1])
  expect(await ceilings('?page=4')).toEqual([])
  expect(await ceilings('?limit=2&page=2')).toEqual([21, 20])
  for (const query of ['?limit=0', '?limit=101', '?page=0', '?filter=every', '?skipTestNotification=maybe']) {
    expect([query, (await ask('GET', query)).status]).toEqual([query, 400])
  }
})

test('rows of the store and of the account form one list and one count', async () => {
  await floods(2)
  const account = { accountId: store.accountId, db: world.db }
  await notifyAccount(account, { type: 'domain_reopened', data: { domain: 'mail.example' }, at: at(2) })
  await groupNotifications(world.deps)
  await floods(1, { first: 4 })
  const rows = (await ask('GET')).body.notifications as { _id: string; type: string }[]
  expect(rows.map(({ type }) => type)).toEqual(['capture_flood', 'domain_reopened', 'capture_flood', 'capture_flood'])
  expect(await unread()).toBe(4)
  await ask('POST', '/mark-read', { notificationIds: [rows[1]!._id] })
  expect(await unread()).toBe(3)
  const { body } = await ask('DELETE', '', { upTo: rows[1]!._id })
  expect(await ceilings()).toEqual([4])
  await ask('POST', '/restore', { undo: body.undo })
  expect(await listed()).toHaveLength(4)
  expect(await unread()).toBe(3)
})

test('connection tests are omitted on request (decision 130)', async () => {
  await floods(1)
  await notify(inStore(), {
    type: 'connection_test',
    data: { test: true, channel: 'store', to: 'https://shop.example' },
    at: at(2),
  })
  await groupNotifications(world.deps)
  expect((await ask('GET', '?skipTestNotification=true')).body.pagination.total).toBe(1)
  const { notifications } = (await ask('GET', '?skipTestNotification=false')).body
  expect(notifications[0]).toMatchObject({ type: 'connection_test', data: { test: true } })
})

test('filters, searches, and lists rows newer than a given one (decisions 68 and 70)', async () => {
  await floods(3)
  await abandonCarts(2)
  const [first] = await listed('?filter=problems')
  expect(await ceilings('?filter=problems')).toEqual([3, 2, 1])
  expect(
    (await ask('GET', '?filter=new-carts')).body.notifications.map(({ data }: { data: object }) => data),
  ).toMatchObject([{ customer: 'Ada 2' }, { customer: 'Ada 1' }])
  expect((await ask('GET', '?search=ADA%202')).body.pagination.total).toBe(1)
  expect((await ask('GET', '?search=%25')).body.pagination.total).toBe(0)
  expect((await ask('GET', `?after=${first!._id}`)).body.pagination.total).toBe(2)
  expect((await ask('GET', `?after=${createId()}`)).body.pagination.total).toBe(5)
  await ask('POST', '/mark-read', { notificationIds: [first!._id] })
  expect((await ask('GET', '?filter=unread')).body.pagination.total).toBe(4)
  const { body } = await ask('GET', `/by-id/${first!._id}`)
  expect(body.notification).toMatchObject({ _id: first!._id, read: true })
  for (const id of [createId(), 'not-an-id']) expect((await ask('GET', `/by-id/${id}`)).status).toBe(404)
})

test('new carts are the newest hundred about abandoned carts, read and unread (decision 130)', {
  tags: ['A7'],
}, async () => {
  await floods(2)
  await abandonCarts(101)
  const { notifications } = (await ask('GET', '/new-cart-notifications')).body
  expect(notifications).toHaveLength(100)
  expect(notifications[0].data.customer).toBe('Ada 101')
  await ask('POST', '/mark-read', { notificationIds: [notifications[0]._id] })
  const again = (await ask('GET', '/new-cart-notifications')).body.notifications
  expect(again.map(({ read }: { read: boolean }) => read).slice(0, 2)).toEqual([true, false])
})

test('the unread count stops at a hundred (decision 66)', { tags: ['A7'] }, async () => {
  await floods(99)
  expect(await unread()).toBe(99)
  await floods(5, { first: 100 })
  expect(await unread()).toBe(100)
})

test('reading and deleting affect only the member (decision 66)', { tags: ['A7'] }, async () => {
  await floods(3)
  const other = (await createColleague(world, store)).token
  const [newest, , oldest] = await listed()
  expect((await ask('POST', '/mark-read', { notificationIds: [newest!._id] })).body).toEqual({
    success: true,
    count: 2,
  })
  await ask('DELETE', '', { notificationIds: [oldest!._id] })
  expect(await ceilings()).toEqual([3, 2])
  expect((await listed()).map(({ read }) => read)).toEqual([true, false])
  expect(await ceilings('', other)).toEqual([3, 2, 1])
  expect([await unread(), await unread(other)]).toEqual([1, 3])
  await ask('POST', '/mark-read', { notificationIds: [newest!._id], read: false })
  expect(await unread()).toBe(2)
})

test('mark all and clear all stop at the newest row that the browser has seen (decision 67)', async () => {
  await floods(3)
  const [first] = await listed()
  await floods(2, { first: 4 })
  expect((await ask('POST', '/mark-read', { upTo: first!._id })).body.count).toBe(2)
  const oldest = (await listed()).at(-1)!
  await ask('POST', '/mark-read', { notificationIds: [oldest._id], read: false })
  expect(await ceilings('?filter=unread')).toEqual([5, 4, 1])
  // A row marked as unread below the bound stays unread until the next "mark all".
  expect((await ask('POST', '/mark-read', { upTo: first!._id })).body.count).toBe(2)
  const cleared = await ask('DELETE', '', { upTo: first!._id })
  expect(await ceilings()).toEqual([5, 4])
  expect(cleared.body.count).toBe(2)
  expect((await ask('POST', '/restore', { undo: cleared.body.undo })).body.count).toBe(2)
  expect(await ceilings()).toEqual([5, 4, 3, 2, 1])
})

test('a deletion takes its ids from body or query and can be undone (decisions 67 and 130)', {
  tags: ['A7'],
}, async () => {
  await floods(4)
  const [d, c, b, a] = (await listed()).map(({ _id }) => _id)
  const deleted = await ask('DELETE', '', { notificationIds: [a] })
  await ask('DELETE', `?platform=woocommerce&notificationIds=${b},${c}`)
  expect(await ceilings()).toEqual([4])
  await ask('DELETE', `?notificationIds=${d}&notificationIds=${a}`)
  expect(await ceilings()).toEqual([])
  await ask('POST', '/restore', { undo: deleted.body.undo })
  expect(await ceilings()).toEqual([1])
  expect((await ask('POST', '/restore', { undo: 'nonsense' })).status).toBe(400)
})

test('clearing again after a late undo restores nothing', async () => {
  await floods(2)
  const [second, first] = await listed()
  const { undo } = (await ask('DELETE', '', { upTo: first!._id })).body
  await ask('DELETE', '', { upTo: second!._id })
  await ask('POST', '/restore', { undo })
  expect(await ceilings()).toEqual([])
})

test('unknown ids and ids of another store change nothing and cause no error (decision 67)', async () => {
  await floods(2)
  const mine = store
  const otherStore = await createStore(world)
  const ids = (await listed()).map(({ _id }) => _id)
  store = mine
  for (const body of [{ notificationIds: [...ids, createId(), 'x', ''] }, { upTo: ids[0] }]) {
    expect((await ask('POST', '/mark-read', body, otherStore.token)).status).toBe(200)
    expect((await ask('DELETE', '', body, otherStore.token)).body).toMatchObject({ success: true, undo: null })
  }
  const undo = Buffer.from(JSON.stringify({ ids, cleared: null })).toString('base64url')
  expect((await ask('POST', '/restore', { undo }, otherStore.token)).status).toBe(200)
  expect((await ask('GET', `/by-id/${ids[0]}`, undefined, otherStore.token)).status).toBe(404)
  expect((await ask('GET', `?after=${ids[0]}`, undefined, otherStore.token)).body.notifications).toEqual([])
  const marks = await world.db
    .selectFrom('notification_marks')
    .selectAll()
    .where('store_id', '=', mine.storeId)
    .execute()
  expect(marks).toEqual([])
  expect(await unread()).toBe(2)
  const tooMany = Array.from({ length: 501 }, () => createId())
  expect((await ask('POST', '/mark-read', { notificationIds: tooMany })).status).toBe(400)
})

test('query and body together accept at most 500 ids', async () => {
  const ids = (count: number) => Array.from({ length: count }, () => createId())
  const both = (count: number) => ask('DELETE', `?notificationIds=${ids(250)}`, { notificationIds: ids(count) })
  expect([(await both(250)).status, (await both(251)).status]).toEqual([200, 400])
})
