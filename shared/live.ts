import type { MarkRead, NotificationEvent } from './notification-calls.ts'

// What goes over the live connection (socket.io at /socket.io). It says that something is new, not what, which is asked over HTTP; only
// notifications are carried whole.

export const LIVE_PATH = '/socket.io'

/** Parts of a store that change by themselves. */
export const liveParts = ['carts', 'messages', 'flows', 'settings', 'stats', 'notifications', 'coupons'] as const
export type LivePart = (typeof liveParts)[number]

/** Sent to everybody who has the store open, at most once a second. */
export interface StoreChanged {
  storeId: string
  changed: LivePart[]
}

/** Answer to `join-platform`: the store the session works with, or null when it has none. */
export interface Joined {
  storeId: string | null
}

export interface ServerEvents {
  'store-changed': (event: StoreChanged) => void
  /** To the members concerned alone (A 7). */
  notification: (event: NotificationEvent) => void
}

export interface ClientEvents {
  /** Of the store named in the handshake (`auth.storeId`); without one, as the session chooses (decision 7). */
  'join-platform': (platform: string, answer?: (joined: Joined) => void) => void
  /** Answered when it is done; without an answer the browser asks over HTTP. */
  'mark-notifications-read': (marked: MarkRead, answer?: (done: { success: boolean }) => void) => void
}

/** Why a connection was refused, as the error's message. */
export type LiveRefusal = 'session' | 'too_many' | 'unavailable'
