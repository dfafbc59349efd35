import { QueryClient } from '@tanstack/react-query'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { NotificationEvent, NotificationView } from '../../../shared/workspace/notification-calls.ts'
import { stubPage } from '../../../test/browser-globals.ts'
import { startSession } from '../../core/session/session.ts'
import type { Answer, StoreCache } from './cache.ts'
import { buildBellKey, buildNewCartsKey, buildPageKey, countKey } from './keys.ts'
import { applyEvent } from './live-events.ts'
import { notificationsAddress } from './rules.ts'

// Live events as they may arrive: twice, late, about unknown notifications, about another store.

let cache: StoreCache
let store = 0

const buildNotification = (id: string, minute: number, read = false): NotificationView => ({
  _id: id,
  type: 'cart_recovered',
  title: 'x',
  message: 'x',
  zone: null,
  data: {},
  createdAt: new Date(Date.UTC(2026, 2, 10, 12, minute)).toISOString(),
  read,
})
const page = (text: string) => buildPageKey(cache.storeId, notificationsAddress.read(new URLSearchParams(text)))

function seedCache(notifications: NotificationView[], count: number, total = notifications.length) {
  const pagination = { page: 1, limit: 10, total, pages: Math.ceil(total / 10) }
  cache.queries.setQueryData(countKey(cache.storeId), { count })
  cache.queries.setQueryData(buildBellKey(cache.storeId), { notifications, pagination })
  cache.queries.setQueryData(page(''), { notifications: notifications.slice(0, 10), pagination })
}

const listVisibleIds = (key: readonly unknown[] = buildBellKey(cache.storeId)) =>
  cache.queries.getQueryData<Answer>(key)!.notifications.map(({ _id, read }) => (read ? _id : `${_id}*`))
const count = () => cache.queries.getQueryData<{ count: number }>(countKey(cache.storeId))!.count
const receiveEvents = (...events: NotificationEvent[]) => {
  for (const event of events) applyEvent(cache, event)
}

beforeEach(() => {
  vi.useFakeTimers()
  stubPage()
  startSession('t', true)
  store += 1
  cache = { queries: new QueryClient(), storeId: `s${store}`, platform: 'woocommerce' }
  return () => vi.useRealTimers()
})

describe('a new notification', () => {
  test('is added at the top and raises the count', { tags: ['A4.6'] }, () => {
    seedCache([buildNotification('a', 1, true)], 0)
    receiveEvents({ type: 'new', notification: buildNotification('b', 2) })
    expect([listVisibleIds(), listVisibleIds(page('')), count()]).toEqual([['b*', 'a'], ['b*', 'a'], 1])
  })

  test('is added once when it arrives twice (A 4.6)', { tags: ['A4.6'] }, () => {
    seedCache([buildNotification('a', 1)], 1)
    const event = { type: 'new', notification: buildNotification('b', 2) } as const
    receiveEvents(event, event, { type: 'new', notification: buildNotification('a', 1) })
    expect([listVisibleIds(), count()]).toEqual([['b*', 'a*'], 2])
  })

  test('counts once when it arrives twice, even if no list is loaded', () => {
    cache.queries.setQueryData(countKey(cache.storeId), { count: 4 })
    const event = { type: 'new', notification: buildNotification('b', 2) } as const
    receiveEvents(event, event)
    expect(count()).toBe(5)
  })

  test('stays deleted when its event arrives after the deletion', () => {
    seedCache([buildNotification('b', 2), buildNotification('a', 1)], 2)
    receiveEvents({ type: 'delete', notificationIds: ['b'] }, { type: 'new', notification: buildNotification('b', 2) })
    expect([listVisibleIds(), count()]).toEqual([['a*'], 1])
  })

  test('is read and not counted when the read event arrived first', () => {
    seedCache([buildNotification('a', 1, true)], 0)
    receiveEvents(
      { type: 'read', notificationIds: ['b'], read: true },
      { type: 'new', notification: buildNotification('b', 2) },
    )
    expect([listVisibleIds(), count()]).toEqual([['b', 'a'], 0])
  })

  test('is read when all up to a newer one were read first', () => {
    seedCache([buildNotification('c', 3)], 1)
    receiveEvents({ type: 'read', notificationIds: [], upTo: 'c', read: true })
    receiveEvents(
      { type: 'new', notification: buildNotification('b', 2) },
      { type: 'new', notification: buildNotification('d', 4) },
    )
    expect([listVisibleIds(), count()]).toEqual([['d*', 'c', 'b'], 1])
  })

  test('is read when an event had marked all up to it', () => {
    seedCache([], 0)
    receiveEvents(
      { type: 'read', notificationIds: [], upTo: 'b', read: true },
      { type: 'new', notification: buildNotification('b', 2) },
    )
    receiveEvents({ type: 'new', notification: buildNotification('a', 1) })
    expect([listVisibleIds(), count()]).toEqual([['b', 'a'], 0])
  })

  test('is sorted by its time when it arrives late', () => {
    seedCache([buildNotification('c', 3), buildNotification('a', 1)], 2)
    receiveEvents({ type: 'new', notification: buildNotification('b', 2) })
    expect(listVisibleIds()).toEqual(['c*', 'b*', 'a*'])
  })

  test('appears among the new carts only if it is about an abandoned cart', () => {
    seedCache([], 0)
    cache.queries.setQueryData(buildNewCartsKey(cache.storeId), { notifications: [] })
    receiveEvents({ type: 'new', notification: { ...buildNotification('a', 1), type: 'cart_abandoned' } })
    receiveEvents({ type: 'new', notification: buildNotification('b', 2) })
    expect(listVisibleIds(buildNewCartsKey(cache.storeId))).toEqual(['a*'])
  })

  test('moves the last one of a full page to the next', () => {
    const ten = Array.from({ length: 10 }, (_, index) => buildNotification(`n${index}`, 30 - index, true))
    seedCache(ten, 0)
    receiveEvents({ type: 'new', notification: buildNotification('new', 40) })
    expect(listVisibleIds(page(''))).toEqual(['new*', ...ten.slice(0, 9).map(({ _id }) => _id)])
    expect(cache.queries.getQueryData<Answer>(page(''))!.pagination).toMatchObject({ total: 11, pages: 2 })
  })
})

describe('a read elsewhere', () => {
  test('marks the items and lowers the count by the unread ones', { tags: ['A4.6'] }, () => {
    seedCache([buildNotification('b', 2), buildNotification('a', 1, true)], 1)
    receiveEvents({ type: 'read', notificationIds: ['a', 'b'], read: true })
    expect([listVisibleIds(), count()]).toEqual([['b', 'a'], 0])
  })

  test('never lowers the count below 0 (A 4.6)', { tags: ['A4.6'] }, () => {
    seedCache([buildNotification('a', 1)], 0)
    receiveEvents({ type: 'read', notificationIds: ['a', 'x', 'y'], read: true })
    expect(count()).toBe(0)
  })

  test('of an unknown notification leaves the count unchanged, because it may be another store’s', () => {
    seedCache([buildNotification('a', 1)], 3)
    receiveEvents(
      { type: 'read', notificationIds: ['x', 'y'], read: true },
      { type: 'read', notificationIds: ['z'], read: false },
    )
    expect([listVisibleIds(), count()]).toEqual([['a*'], 3])
  })

  test('of a notification known from events lowers the count once, even if no list is loaded', () => {
    cache.queries.setQueryData(countKey(cache.storeId), { count: 4 })
    const read: NotificationEvent = { type: 'read', notificationIds: ['b'], read: true }
    receiveEvents({ type: 'new', notification: buildNotification('b', 2) }, read, read)
    expect(count()).toBe(4)
  })

  test('of all up to one keeps newer ones unread', () => {
    seedCache([buildNotification('c', 3), buildNotification('b', 2), buildNotification('a', 1)], 3)
    receiveEvents({ type: 'read', notificationIds: [], upTo: 'b', read: true })
    expect([listVisibleIds(), count()]).toEqual([['c*', 'b', 'a'], 1])
  })

  test('of all up to one of another store changes nothing', () => {
    seedCache([buildNotification('b', 2), buildNotification('a', 1)], 2)
    receiveEvents({ type: 'read', notificationIds: [], upTo: 'z-of-another-store', read: true })
    expect([listVisibleIds(), count()]).toEqual([['b*', 'a*'], 2])
  })

  test('undone elsewhere marks it unread here too', () => {
    seedCache([buildNotification('a', 1, true)], 0)
    receiveEvents({ type: 'read', notificationIds: ['a'], read: false })
    expect([listVisibleIds(), count()]).toEqual([['a*'], 1])
  })
})

describe('a deletion elsewhere', () => {
  test('removes it from every list, and from the count if unread', { tags: ['A4.6'] }, () => {
    seedCache([buildNotification('c', 3), buildNotification('b', 2, true), buildNotification('a', 1)], 2, 30)
    receiveEvents({ type: 'delete', notificationIds: ['b', 'c'] })
    expect([listVisibleIds(), listVisibleIds(page('')), count()]).toEqual([['a*'], ['a*'], 1])
    expect(cache.queries.getQueryData<Answer>(buildBellKey(cache.storeId))!.pagination!.total).toBe(28)
  })

  test('of all up to one keeps newer ones', () => {
    seedCache([buildNotification('c', 3), buildNotification('b', 2), buildNotification('a', 1)], 3)
    receiveEvents({ type: 'delete', notificationIds: [], upTo: 'b' })
    expect([listVisibleIds(), count()]).toEqual([['c*'], 1])
  })
})
