import { QueryClient } from '@tanstack/react-query'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { NotificationEvent, NotificationView } from '../../shared/notification-calls.ts'
import { aPage } from '../../test/browser-globals.ts'
import { startSession } from '../access/session.ts'
import type { Answer, Where } from './cache.ts'
import { bellKey, countKey, newCartsKey, pageKey } from './keys.ts'
import { hear } from './news.ts'
import { notificationsAddress } from './rules.ts'

// What the live connection says, as it may say it: twice, late, about what is not known here, about another store.

let where: Where
let store = 0

const noted = (id: string, minute: number, read = false): NotificationView => ({
  ...{ _id: id, type: 'cart_recovered', title: 'x', message: 'x', zone: null, data: {} },
  createdAt: new Date(Date.UTC(2026, 2, 10, 12, minute)).toISOString(),
  read,
})
const page = (text: string) => pageKey(where.storeId, notificationsAddress.read(new URLSearchParams(text)))

function given(notifications: NotificationView[], count: number, total = notifications.length) {
  const pagination = { page: 1, limit: 10, total, pages: Math.ceil(total / 10) }
  where.queries.setQueryData(countKey(where.storeId), { count })
  where.queries.setQueryData(bellKey(where.storeId), { notifications, pagination })
  where.queries.setQueryData(page(''), { notifications: notifications.slice(0, 10), pagination })
}

const shown = (key: readonly unknown[] = bellKey(where.storeId)) =>
  where.queries.getQueryData<Answer>(key)!.notifications.map(({ _id, read }) => (read ? _id : `${_id}*`))
const count = () => where.queries.getQueryData<{ count: number }>(countKey(where.storeId))!.count
const hears = (...events: NotificationEvent[]) => {
  for (const event of events) hear(where, event)
}

beforeEach(() => {
  vi.useFakeTimers()
  aPage()
  startSession('t', true)
  store += 1
  where = { queries: new QueryClient(), storeId: `s${store}`, platform: 'woocommerce' }
  return () => vi.useRealTimers()
})

describe('a new notification', () => {
  test('stands at the top and raises the count', { tags: ['A4.6'] }, () => {
    given([noted('a', 1, true)], 0)
    hears({ type: 'new', notification: noted('b', 2) })
    expect([shown(), shown(page('')), count()]).toEqual([['b*', 'a'], ['b*', 'a'], 1])
  })

  test('that comes twice is there once (A 4.6)', { tags: ['A4.6'] }, () => {
    given([noted('a', 1)], 1)
    const event = { type: 'new', notification: noted('b', 2) } as const
    hears(event, event, { type: 'new', notification: noted('a', 1) })
    expect([shown(), count()]).toEqual([['b*', 'a*'], 2])
  })

  test('that comes twice counts once, also where no list has been asked for', () => {
    where.queries.setQueryData(countKey(where.storeId), { count: 4 })
    const event = { type: 'new', notification: noted('b', 2) } as const
    hears(event, event)
    expect(count()).toBe(5)
  })

  test('does not come back when late news of it follows its deletion', () => {
    given([noted('b', 2), noted('a', 1)], 2)
    hears({ type: 'delete', notificationIds: ['b'] }, { type: 'new', notification: noted('b', 2) })
    expect([shown(), count()]).toEqual([['a*'], 1])
  })

  test('that was read before its news came is listed as read, and does not count', () => {
    given([noted('a', 1, true)], 0)
    hears({ type: 'read', notificationIds: ['b'], read: true }, { type: 'new', notification: noted('b', 2) })
    expect([shown(), count()]).toEqual([['b', 'a'], 0])
  })

  test('that was read with all up to a newer one is listed as read', () => {
    given([noted('c', 3)], 1)
    hears({ type: 'read', notificationIds: [], upTo: 'c', read: true })
    hears({ type: 'new', notification: noted('b', 2) }, { type: 'new', notification: noted('d', 4) })
    expect([shown(), count()]).toEqual([['d*', 'c', 'b'], 1])
  })

  test('that all were read up to before its news came is listed as read', () => {
    given([], 0)
    hears({ type: 'read', notificationIds: [], upTo: 'b', read: true }, { type: 'new', notification: noted('b', 2) })
    hears({ type: 'new', notification: noted('a', 1) })
    expect([shown(), count()]).toEqual([['b', 'a'], 0])
  })

  test('stands where it belongs by its time, though it came later', () => {
    given([noted('c', 3), noted('a', 1)], 2)
    hears({ type: 'new', notification: noted('b', 2) })
    expect(shown()).toEqual(['c*', 'b*', 'a*'])
  })

  test('about an abandoned cart is among the new carts, others are not', () => {
    given([], 0)
    where.queries.setQueryData(newCartsKey(where.storeId), { notifications: [] })
    hears({ type: 'new', notification: { ...noted('a', 1), type: 'cart_abandoned' } })
    hears({ type: 'new', notification: noted('b', 2) })
    expect(shown(newCartsKey(where.storeId))).toEqual(['a*'])
  })

  test('pushes the last one of a full page to the next', () => {
    const ten = Array.from({ length: 10 }, (_, index) => noted(`n${index}`, 30 - index, true))
    given(ten, 0)
    hears({ type: 'new', notification: noted('new', 40) })
    expect(shown(page(''))).toEqual(['new*', ...ten.slice(0, 9).map(({ _id }) => _id)])
    expect(where.queries.getQueryData<Answer>(page(''))!.pagination).toMatchObject({ total: 11, pages: 2 })
  })
})

describe('read elsewhere', () => {
  test('marks the items and lowers the count by those that were unread', { tags: ['A4.6'] }, () => {
    given([noted('b', 2), noted('a', 1, true)], 1)
    hears({ type: 'read', notificationIds: ['a', 'b'], read: true })
    expect([shown(), count()]).toEqual([['b', 'a'], 0])
  })

  test('never lowers it below 0 (A 4.6)', { tags: ['A4.6'] }, () => {
    given([noted('a', 1)], 0)
    hears({ type: 'read', notificationIds: ['a', 'x', 'y'], read: true })
    expect(count()).toBe(0)
  })

  test('what is not known here may be another store’s: it does not change the count', () => {
    given([noted('a', 1)], 3)
    hears(
      { type: 'read', notificationIds: ['x', 'y'], read: true },
      { type: 'read', notificationIds: ['z'], read: false },
    )
    expect([shown(), count()]).toEqual([['a*'], 3])
  })

  test('what was heard of lowers the count at once, once, also where no list has been asked for', () => {
    where.queries.setQueryData(countKey(where.storeId), { count: 4 })
    const read: NotificationEvent = { type: 'read', notificationIds: ['b'], read: true }
    hears({ type: 'new', notification: noted('b', 2) }, read, read)
    expect(count()).toBe(4)
  })

  test('all up to one of them: what is newer stays unread', () => {
    given([noted('c', 3), noted('b', 2), noted('a', 1)], 3)
    hears({ type: 'read', notificationIds: [], upTo: 'b', read: true })
    expect([shown(), count()]).toEqual([['c*', 'b', 'a'], 1])
  })

  test('all up to one of another store: nothing changes here', () => {
    given([noted('b', 2), noted('a', 1)], 2)
    hears({ type: 'read', notificationIds: [], upTo: 'z-of-another-store', read: true })
    expect([shown(), count()]).toEqual([['b*', 'a*'], 2])
  })

  test('marked as unread again: it is unread here too', () => {
    given([noted('a', 1, true)], 0)
    hears({ type: 'read', notificationIds: ['a'], read: false })
    expect([shown(), count()]).toEqual([['a*'], 1])
  })
})

describe('deleted elsewhere', () => {
  test('goes from every list, and from the count where it was unread', { tags: ['A4.6'] }, () => {
    given([noted('c', 3), noted('b', 2, true), noted('a', 1)], 2, 30)
    hears({ type: 'delete', notificationIds: ['b', 'c'] })
    expect([shown(), shown(page('')), count()]).toEqual([['a*'], ['a*'], 1])
    expect(where.queries.getQueryData<Answer>(bellKey(where.storeId))!.pagination!.total).toBe(28)
  })

  test('all up to one of them: what is newer stays', () => {
    given([noted('c', 3), noted('b', 2), noted('a', 1)], 3)
    hears({ type: 'delete', notificationIds: [], upTo: 'b' })
    expect([shown(), count()]).toEqual([['c*'], 1])
  })
})
