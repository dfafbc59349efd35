import type { NotificationView } from '../../../shared/workspace/notification-calls.ts'
import { isUpTo, type Place, setRead } from './order.ts'

// Read marks the server has not accepted yet, kept in session storage to survive a reload (decision 68).

export type Change = (items: NotificationView[]) => NotificationView[]

/** The marked notifications: a list, or one with all older ones. */
export type NotificationTarget = { notificationIds: string[] } | { upTo: string }

/** Applied to every answer until the server has the mark too. */
export interface Pending {
  change: Change
  /** How much lower the unread count is than the server's. */
  lowers: number
  /** Covers notifications unknown here, so `lowers` is only a part. */
  isUpTo: boolean
}

/** Marked read here although the server call failed (A 8); sent again later. */
export interface PendingMark extends Pending {
  meant: NotificationTarget
  /** Position in the list of the one in `upTo`. */
  newest: Place | null
}

const MOST_MARKS = 50
const MOST_IDS = 500

export function createMark(target: NotificationTarget, lowers: number, newest: Place | null): PendingMark {
  const ids = new Set('upTo' in target ? [] : target.notificationIds)
  const isConcerned = (item: NotificationView) =>
    'upTo' in target ? newest !== null && isUpTo(item, newest) : ids.has(item._id)
  return { meant: target, lowers, newest, isUpTo: 'upTo' in target, change: (items) => setRead(items, isConcerned) }
}

const buildStorageKey = (storeId: string) => `notifications.kept.${storeId}`

/** Replaces the store's saved marks, keeping the newest up to a limit. */
export function saveMarks(token: string | null, storeId: string, marks: readonly PendingMark[]): void {
  const stored: Pick<PendingMark, 'meant' | 'lowers' | 'newest'>[] = []
  let ids = 0
  for (const { meant, lowers, newest } of marks.toReversed()) {
    ids += 'upTo' in meant ? 1 : meant.notificationIds.length
    if (stored.length === MOST_MARKS || ids > MOST_IDS) break
    stored.unshift({ meant, lowers, newest })
  }
  try {
    if (stored.length === 0 || !token) sessionStorage.removeItem(buildStorageKey(storeId))
    else sessionStorage.setItem(buildStorageKey(storeId), JSON.stringify({ of: hashToken(token), marks: stored }))
  } catch {
    // Without storage they last until the page is left.
  }
}

/** Marks of this session; another session's are removed. */
export function loadMarks(token: string | null, storeId: string): PendingMark[] {
  try {
    const { of, marks } = JSON.parse(sessionStorage.getItem(buildStorageKey(storeId)) ?? '{}')
    if (token && of === hashToken(token) && Array.isArray(marks)) return marks.filter(isMark).map(reviveMark)
    sessionStorage.removeItem(buildStorageKey(storeId))
  } catch {
    // Unreadable data counts as none.
  }
  return []
}

const reviveMark = ({ meant, lowers, newest }: PendingMark) => createMark(meant, lowers, newest)

function isMark({ meant, lowers, newest }: PendingMark): boolean {
  if (typeof lowers !== 'number') return false
  if (typeof (meant as { upTo?: unknown }).upTo === 'string') return newest === null || typeof newest._id === 'string'
  const ids = (meant as { notificationIds?: unknown }).notificationIds
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string')
}

/** Identifies the session by a hash (FNV-1a) instead of a copy of the token. */
function hashToken(token: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < token.length; index += 1) hash = Math.imul(hash ^ token.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
