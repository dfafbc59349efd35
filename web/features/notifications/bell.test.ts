import { QueryClient } from '@tanstack/react-query'
import { beforeEach, expect, test, vi } from 'vitest'
import { UNDO_MS } from '../../../shared/workspace/notification-calls.ts'
import { stubPage } from '../../../test/browser-globals.ts'
import { startSession } from '../../core/session/session.ts'
import type { Answer, StoreCache } from './cache.ts'
import { getPendingUndo, startDeletion } from './deleting.ts'
import { buildBellKey } from './keys.ts'
import { fetchBell, loadMore } from './queries.ts'

// The bell's list against a server of 23 notifications whose answers the test releases.

let cache: StoreCache
let stored: number[]
/** Pending requests by page. */
let waiting: { page: number; answer: () => void }[]
let isHeld: (page: number) => boolean
let store = 0

const buildView = (number: number) => ({
  _id: `n${number}`,
  type: 'cart_recovered',
  title: 'x',
  message: 'x',
  zone: null,
  data: {},
  read: true,
  createdAt: new Date(Date.UTC(2026, 2, 10, 12, number)).toISOString(),
})

function buildPage(page: number) {
  const all = stored.toSorted((a, b) => b - a)
  const pagination = { page, limit: 10, total: all.length, pages: Math.ceil(all.length / 10) }
  return { notifications: all.slice(10 * (page - 1), 10 * page).map(buildView), pagination }
}

beforeEach(() => {
  stubPage()
  startSession('t', true)
  store += 1
  cache = { queries: new QueryClient(), storeId: `bell-${store}`, platform: 'woocommerce' }
  stored = Array.from({ length: 23 }, (_, index) => index + 1)
  waiting = []
  isHeld = () => false
  vi.stubGlobal('fetch', async (address: string, { method }: { method: string }) => {
    if (method === 'DELETE') return await new Promise(() => {})
    const page = Number(new URL(address, 'http://shop').searchParams.get('page'))
    if (isHeld(page)) await new Promise<void>((answer) => waiting.push({ page, answer }))
    return new Response(JSON.stringify(buildPage(page)))
  })
})

const show = async () =>
  cache.queries.setQueryData(buildBellKey(cache.storeId), await fetchBell(cache, AbortSignal.any([])))
const listVisibleIds = () =>
  cache.queries.getQueryData<Answer>(buildBellKey(cache.storeId))!.notifications.map(({ _id }) => _id)
const listIdsDown = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => `n${from - index}`)

test('loads page after page', async () => {
  await show()
  expect(listVisibleIds()).toEqual(listIdsDown(23, 14))
  await loadMore(cache)
  expect(listVisibleIds()).toEqual(listIdsDown(23, 4))
  await loadMore(cache)
  expect(listVisibleIds()).toEqual(listIdsDown(23, 1))
})

test('loads ten more, or all there are, even during a deletion', async () => {
  await show()
  await loadMore(cache)
  vi.useFakeTimers()
  startDeletion(cache, { notificationIds: ['n23'] })
  await loadMore(cache)
  expect(listVisibleIds()).toEqual(listIdsDown(22, 1))
  // Its undo would outlive this test and could be triggered by another file's test.
  vi.advanceTimersByTime(UNDO_MS)
  vi.useRealTimers()
  expect(getPendingUndo()).toBeNull()
})

test('keeps what "Load More" brought when an earlier request answers later', async () => {
  await show()
  isHeld = () => true
  const permission = show()
  await vi.waitFor(() => expect(waiting).toHaveLength(1), 30_000)
  isHeld = () => false
  await loadMore(cache)
  waiting[0]!.answer()
  await permission
  expect(listVisibleIds()).toEqual(listIdsDown(23, 4))
})
