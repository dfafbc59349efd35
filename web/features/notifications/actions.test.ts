import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { NotificationView } from '../../../shared/workspace/notification-calls.ts'
import { stubPage } from '../../../test/browser-globals.ts'
import { session, startSession } from '../../core/session/session.ts'
import { refetchLists, type StoreCache, scheduleCount } from './cache.ts'
import { fetchCount } from './count.ts'
import { getPendingUndo, startDeletion, undoDeletion } from './deleting.ts'
import { buildBellKey, buildNewCartsKey, countKey } from './keys.ts'
import { getLocalState } from './local.ts'
import { markRead, sendPendingMarks } from './marking.ts'

// Marks and deletions while the server answers, fails or does not answer.

interface SentRequest {
  path: string
  body: { notificationIds?: string[]; upTo?: string; undo?: string }
}
let sent: SentRequest[]
let answer: (sent: SentRequest) => Promise<unknown> | unknown
let store = 0

function createCache(...notifications: NotificationView[]): StoreCache {
  store += 1
  const cache = { queries: new QueryClient(), storeId: `doing-${store}`, platform: 'woocommerce' }
  const count = notifications.filter(({ read }) => !read).length
  const pagination = { page: 1, limit: 10, total: notifications.length, pages: 1 }
  cache.queries.setQueryData(countKey(cache.storeId), { count })
  cache.queries.setQueryData(buildBellKey(cache.storeId), { notifications, pagination })
  return cache
}

const buildNotification = (id: string, minute: number): NotificationView => ({
  _id: id,
  type: 'cart_recovered',
  title: 'x',
  message: 'x',
  zone: null,
  data: {},
  read: false,
  createdAt: new Date(Date.UTC(2026, 2, 10, 12, minute)).toISOString(),
})
const createFailedReply = () => new Response(JSON.stringify({ error: 'Not now.', code: 'internal' }), { status: 500 })
const isMark = ({ path }: SentRequest) => path === '/api/notifications/mark-read'
const listMarks = () => sent.filter(isMark).map(({ body }) => body.notificationIds ?? body.upTo)
const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms)
/** Advances time during the undo, which may have set a timer. */
async function waitForUndo(): Promise<void> {
  const done = undoDeletion()
  await advance(1_000)
  await done
}
/** Simulates a reload: module state is lost. */
function reloadPage() {
  const mine = session().token!
  startSession('nobody', true)
  getLocalState('none')
  startSession(mine, true)
}

beforeEach(() => {
  vi.useFakeTimers()
  stubPage()
  startSession(`t${store}`, true)
  sent = []
  answer = () => ({})
  vi.stubGlobal('fetch', async (address: string, { body }: { body?: string }) => {
    const each = { path: address.split('?')[0]!, body: JSON.parse(body ?? '{}') }
    sent.push(each)
    const reply = await answer(each)
    return reply instanceof Response ? reply : new Response(JSON.stringify(reply))
  })
})
afterEach(() => void vi.useRealTimers())

describe('a mark the server does not accept', () => {
  test('does not delay another store’s mark: each is retried after 30 seconds', async () => {
    const [a, b] = [createCache(buildNotification('a', 1)), createCache(buildNotification('b', 2))]
    answer = createFailedReply
    void markRead(a, { notificationIds: ['a'] })
    await advance(15_000)
    void markRead(b, { notificationIds: ['b'] })
    await advance(10_000)
    answer = () => ({})
    sent = []
    await advance(5_000)
    expect(listMarks()).toEqual([['a']])
    await advance(15_000)
    expect(listMarks()).toEqual([['a'], ['b']])
  })

  test('is sent once after a reload (decision 68)', { tags: ['A8'] }, async () => {
    const cache = createCache(buildNotification('a', 1))
    answer = createFailedReply
    await markRead(cache, { notificationIds: ['a'] })
    reloadPage()
    sent = []
    answer = ({ path }) => (path.endsWith('unread-count') ? { count: 1 } : {})
    // Here it stays read meanwhile.
    expect(await fetchCount(cache, new AbortController().signal)).toEqual({ count: 0 })
    await advance(30_000)
    expect(listMarks()).toEqual([['a']])
    reloadPage()
    await sendPendingMarks(cache)
    expect(listMarks()).toEqual([['a']])
  })

  test('is not sent for the next user', { tags: ['A8'] }, async () => {
    const cache = createCache(buildNotification('a', 1))
    answer = createFailedReply
    await markRead(cache, { notificationIds: ['a'] })
    startSession('another', true)
    sent = []
    await sendPendingMarks(cache)
    expect([listMarks(), sessionStorage.length]).toEqual([[], 0])
  })
})

test('ignores an older count from the server while "mark all as read" is in flight', async () => {
  const cache = createCache(buildNotification('b', 2), buildNotification('a', 1))
  answer = ({ path }) => (path.endsWith('unread-count') ? { count: 100 } : new Promise(() => {}))
  void markRead(cache, { upTo: 'b' })
  expect(await fetchCount(cache, new AbortController().signal)).toEqual({ count: 0 })
})

test('requests count and lists of one store independently of another store', async () => {
  const [a, b] = [createCache(), createCache()]
  b.queries = a.queries
  const requests: unknown[] = []
  vi.spyOn(a.queries, 'invalidateQueries').mockImplementation(async (filters) => {
    requests.push(filters?.queryKey)
    await new Promise((resolve) => setTimeout(resolve, 10))
  })
  for (const cache of [a, b]) {
    scheduleCount(cache)
    void refetchLists(cache)
  }
  await advance(1_000)
  const buildBothKeys = (part: string) => [a, b].map(({ storeId }) => ['notifications', storeId, part])
  expect(requests).toEqual([...buildBothKeys('lists'), ...buildBothKeys('count')])
})

test('restores the bell’s list after undoing "clear all", without carts of the other tab', async () => {
  const cache = createCache(buildNotification('d', 4), buildNotification('c', 3))
  const carts = [buildNotification('d', 4), buildNotification('b', 2), buildNotification('a', 1)].map((each) => ({
    ...each,
    type: 'cart_abandoned' as const,
  }))
  cache.queries.setQueryData(buildNewCartsKey(cache.storeId), { notifications: carts })
  const listIds = (key: readonly unknown[]) =>
    cache.queries.getQueryData<{ notifications: NotificationView[] }>(key)?.notifications.map(({ _id }) => _id)
  answer = ({ path }) => (path.endsWith('restore') ? {} : { success: true, count: 4, undo: 'undo' })
  startDeletion(cache, { upTo: 'd' })
  expect([listIds(buildBellKey(cache.storeId)), listIds(buildNewCartsKey(cache.storeId))]).toEqual([[], []])
  await waitForUndo()
  expect(listIds(buildBellKey(cache.storeId))).toEqual(['d', 'c'])
  expect(listIds(buildNewCartsKey(cache.storeId))).toEqual(['d', 'b', 'a'])
})

test('restarts the ten seconds of undo with another deletion', async () => {
  const cache = createCache(buildNotification('a', 2), buildNotification('b', 1))
  startDeletion(cache, { notificationIds: ['a'] })
  await advance(6_000)
  startDeletion(cache, { notificationIds: ['b'] })
  await advance(6_000)
  expect(getPendingUndo()?.text).toBe('2 notifications deleted.')
  await advance(4_000)
  expect(getPendingUndo()).toBeNull()
})

test('removes only the failed deletion from the undo', async () => {
  const cache = createCache(buildNotification('b', 2), buildNotification('a', 1))
  answer = ({ path, body }) => {
    if (path.endsWith('restore')) return {}
    return body.notificationIds?.includes('a') ? createFailedReply() : { success: true, count: 1, undo: 'undo-b' }
  }
  startDeletion(cache, { notificationIds: ['b'] })
  startDeletion(cache, { notificationIds: ['a'] })
  await advance(100)
  expect(getPendingUndo()?.text).toBe('Notification deleted.')
  await waitForUndo()
  expect(sent.filter(({ path }) => path.endsWith('restore')).map(({ body }) => body.undo)).toEqual(['undo-b'])
})
