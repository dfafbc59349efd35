import { countUnreadNotifications } from '../../shared/notification-calls.ts'
import { call } from '../api.ts'
import { countWithPending, ofStore, type Where } from './cache.ts'
import { sendLater } from './marking.ts'

/** How many are unread, less those that are read here and not yet on the server. */
export async function askCount(where: Where, signal: AbortSignal): Promise<{ count: number }> {
  // Those of before a reload, where no live connection brings them.
  sendLater(where)
  const { count } = await call(countUnreadNotifications, { query: ofStore(where), signal })
  return { count: countWithPending(where, count) }
}
