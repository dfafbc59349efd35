import { countUnreadNotifications } from '../../../shared/workspace/notification-calls.ts'
import { call } from '../../core/api/api.ts'
import { buildStoreParams, countWithPending, type StoreCache } from './cache.ts'
import { sendLater } from './marking.ts'

/** Unread count, without notifications whose read mark the server does not have yet. */
export async function fetchCount(cache: StoreCache, signal: AbortSignal): Promise<{ count: number }> {
  // Sends marks from before a reload, in case no live connection does.
  sendLater(cache)
  const { count } = await call(countUnreadNotifications, { query: buildStoreParams(cache), signal })
  return { count: countWithPending(cache, count) }
}
