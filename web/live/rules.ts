import type { QueryKey, QueryState } from '@tanstack/react-query'
import type { LivePart } from '../../shared/live.ts'

// Pure: which answers are out of date when a part of the store has changed, and which questions rest.

/** What asks the store or the sender's domain itself is asked by people only. */
const outdates: Record<LivePart, (key: QueryKey) => boolean> = {
  carts: ([noun]) => ['carts', 'cart', 'customers', 'customer'].includes(String(noun)),
  messages: ([noun, , part]) =>
    noun === 'customer' ||
    (noun === 'cart' && part === 'messages') ||
    (noun === 'flows' && part === 'upcoming') ||
    noun === 'campaigns' ||
    noun === 'send-job',
  flows: ([noun]) => noun === 'flows',
  settings: ([noun, part]) => noun === 'connection' || (noun === 'store' && (part === 'health' || part === 'pause')),
  stats: ([noun]) => noun === 'dashboard',
  notifications: ([noun]) => noun === 'notifications',
  coupons: ([noun]) => noun === 'coupons',
}

export const isOutdatedBy = (changed: Iterable<LivePart>, key: QueryKey): boolean =>
  [...changed].some((part) => outdates[part](key))

const REST_MS = 30_000

/**
 * What has just failed and has nothing to show is not asked again with every piece of news: its screen would jump between error and
 * skeleton, and a screen reader would say the error each time.
 */
export const isResting = (state: Pick<QueryState, 'status' | 'data' | 'errorUpdatedAt'>, nowMs: number): boolean =>
  state.status === 'error' && state.data === undefined && nowMs - state.errorUpdatedAt < REST_MS
