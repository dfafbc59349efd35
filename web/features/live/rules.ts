import type { QueryKey, QueryState } from '@tanstack/react-query'
import type { LivePart } from '../../../shared/workspace/live.ts'

// Pure: which queries a change of the store invalidates, and which are not refetched.

/** Queries that call the store or DNS run only on user request. */
const invalidates: Record<LivePart, (key: QueryKey) => boolean> = {
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
  [...changed].some((part) => invalidates[part](key))

const REST_MS = 30_000

/**
 * Do not refetch a failed query without data on every event: its screen would flicker between error and skeleton, and
 * screen readers would repeat the error.
 */
export const isResting = (state: Pick<QueryState, 'status' | 'data' | 'errorUpdatedAt'>, nowMs: number): boolean =>
  state.status === 'error' && state.data === undefined && nowMs - state.errorUpdatedAt < REST_MS
