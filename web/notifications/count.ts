import { countUnreadNotifications } from '../../shared/notification-calls.ts'
import { call } from '../api.ts'
import { buildStoreParams, countWithPending, type StoreCache } from './cache.ts'
import { sendLater } from './marking.ts'

/** Unread count, minus those read here but not yet on the server. */
export async function fetchCount(cache: StoreCache, signal: AbortSignal): Promise<{ count: number }> {
  // Marks from before a reload, if no live connection delivers them.
  sendLater(cache)
  const { count } = await call(countUnreadNotifications, { query: buildStoreParams(cache), signal })
  return { count: countWithPending(cache, count) }
}
