import type { NotificationView } from '../../shared/notification-calls.ts'
import { session } from '../access/session.ts'
import { type KeptMark, type Pending, storedMarks } from './kept.ts'
import type { Place } from './order.ts'

// What has been done here and the server has not confirmed yet, and what this visit has heard and shown. Of one session and store.

interface Local {
  pending: Set<Pending>
  kept: KeptMark[]
  /** Announced by the live connection, which may say things twice. */
  heard: Set<string>
  /** What was last heard of them, read or unread: their own news may come after it. */
  readHeard: Map<string, boolean>
  /** All up to this one were heard as read. */
  readUpTo: Place | null
  /** The same where the one that was named is not known here. */
  readUpToId: string | null
  /** Deleted here or elsewhere: late news of them is no news. */
  gone: Set<string>
  /** Connection tests that the open bell shows, and those it has shown before: they are shown once (A 4.6). */
  tests: Map<string, 'showing' | 'shown'>
  /** When the kept marks are sent again, and how long that was waited for. */
  resend: { timer: Timer; waitMs: number | null }
  /** When the server is asked for the count. */
  counting: Timer
  /** The round of questions for the lists that is under way. */
  asking: { again: boolean } | null
}

type Timer = ReturnType<typeof setTimeout> | undefined

const locals = new Map<string, Local>()
let ofToken: string | null = null

export function localOf(storeId: string): Local {
  const { token } = session()
  // Somebody else is signed in: nothing of whoever was here before is theirs.
  if (token !== ofToken) locals.clear()
  ofToken = token
  const known = locals.get(storeId)
  if (known) return known
  const kept = storedMarks(token, storeId)
  const made: Local = {
    ...{ pending: new Set<Pending>(kept), kept },
    ...{ heard: new Set(), readHeard: new Map(), readUpTo: null, readUpToId: null },
    ...{ gone: new Set(), tests: new Map() },
    ...{ resend: { timer: undefined, waitMs: null }, counting: undefined, asking: null },
  }
  locals.set(storeId, made)
  return made
}

/** An answer of the server with what has been done here meanwhile. */
export const withPending = (storeId: string, items: NotificationView[]): NotificationView[] =>
  [...localOf(storeId).pending].reduce((changed, { change }) => change(changed), items)
