import type { MarkRead, NotificationEvent } from './notification-calls.ts'

// Events of the live connection (socket.io at /socket.io). An event names what changed, and the browser fetches it over
// HTTP; only notifications carry their data.

export const LIVE_PATH = '/socket.io'

/** Data of a store that changes in the background. */
export const liveParts = ['carts', 'messages', 'flows', 'settings', 'stats', 'notifications', 'coupons'] as const
export type LivePart = (typeof liveParts)[number]

/** Sent to all clients that have the store open, at most once a second. */
export interface StoreChanged {
  storeId: string
  changed: LivePart[]
}

/** Answer to `join-platform`: the store of the session, or null if it has none. */
export interface JoinReply {
  storeId: string | null
}

export interface ServerEvents {
  'store-changed': (event: StoreChanged) => void
  /** Only to the members concerned (A 7). */
  notification: (event: NotificationEvent) => void
}

export interface ClientEvents {
  /** Joins the store named in the handshake (`auth.storeId`); by default the one of the session (decision 7). */
  'join-platform': (platform: string, answer?: (joined: JoinReply) => void) => void
  /** Acknowledged when done; without an acknowledgement the browser uses HTTP. */
  'mark-notifications-read': (marked: MarkRead, answer?: (done: { success: boolean }) => void) => void
}

/** Why a connection was rejected, as the error's message. */
export type LiveRefusal = 'session' | 'too_many' | 'unavailable'
