import { type LivePart, liveParts } from '../../../shared/workspace/live.ts'
import type { NotificationEvent } from '../../../shared/workspace/notification-calls.ts'

// Parsing of announcements, origin check and rate limit. Pure.

/** A member's change of notifications, for their other tabs; `again`: reload the list. */
export type OwnChange = Exclude<NotificationEvent, { type: 'new' }> | 'again'

/**
 * Parsed from the channel's payload: `store:<id>:<part>`, `account:<id>`, `news:<store>` or
 * `mine:<account>:<user>:<what>:<ids>`.
 */
export type Announcement =
  | { storeId: string; part: LivePart }
  | { accountId: string }
  | { newsOf: string }
  | { member: string; own: OwnChange }

/** undefined for an unknown payload. */
export function readAnnouncement(payload: string): Announcement | undefined {
  const [kind, id, ...rest] = payload.split(':')
  if (!id) return undefined
  if (kind === 'account') return { accountId: id }
  if (kind === 'news') return { newsOf: id }
  if (kind === 'mine') return readOwn(id, rest)
  const known = liveParts.find((each) => each === rest[0])
  return kind === 'store' && known ? { storeId: id, part: known } : undefined
}

function readOwn(accountId: string, [userId, what, ids]: string[]): Announcement | undefined {
  if (!userId || !what || ids === undefined) return undefined
  const own = parseOwnChange(what, ids)
  return own && { member: memberKey(accountId, userId), own }
}

function parseOwnChange(what: string, ids: string): OwnChange | undefined {
  const notificationIds = ids.split(',')
  switch (what) {
    case 'read':
    case 'unread':
      return { type: 'read', notificationIds, read: what === 'read' }
    case 'read-up-to':
      return { type: 'read', notificationIds: [], upTo: ids, read: true }
    case 'delete':
      return { type: 'delete', notificationIds }
    case 'delete-up-to':
      return { type: 'delete', notificationIds: [], upTo: ids }
    case 'restore':
      return 'again'
    default:
      return undefined
  }
}

/** The room of a member's tabs. */
export const memberKey = (accountId: string, userId: string): string => `member:${accountId}:${userId}`

/**
 * Whether a page of this origin may connect: only pages of the public address or the requested host. Other programs
 * send no origin; their token decides.
 */
export function isOwnOrigin(origin: string | undefined, host: string | undefined, publicUrl: string): boolean {
  if (origin === undefined) return true
  if (origin === publicUrl) return true
  return URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol) && new URL(origin).host === host
}

/** Token bucket: `burst` at once, `perSecond` over time. Returns whether one more is allowed. */
export function allowance(burst: number, perSecond: number) {
  let tokens = burst
  let at: number | undefined
  return (nowMs: number): boolean => {
    tokens = Math.min(burst, tokens + (Math.max(0, nowMs - (at ?? nowMs)) / 1_000) * perSecond)
    at = nowMs
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}
