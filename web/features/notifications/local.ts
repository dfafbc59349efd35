import { session } from '../../core/session/session.ts'
import type { Place } from './order.ts'
import { loadMarks, type Pending, type PendingMark } from './pending-marks.ts'

// Local state of one session and store: changes the server has not confirmed, events received, and items shown.

interface LocalState {
  pending: Set<Pending>
  pendingMarks: PendingMark[]
  /** Announced over the live connection, which may repeat messages. */
  received: Set<string>
  /** Last reported read state; it may arrive before the notification itself. */
  reportedRead: Map<string, boolean>
  /** All up to this one were reported as read. */
  readUpTo: Place | null
  /** The same, if the named one is unknown here. */
  readUpToId: string | null
  /** Deleted here or elsewhere; ignore late events about them. */
  deleted: Set<string>
  /** Connection tests the bell shows now, and those shown before: each is shown once (A 4.6). */
  tests: Map<string, 'showing' | 'shown'>
  /** Next retry of pending marks, and its delay. */
  resend: { timer: Timer; waitMs: number | null }
  /** Timer of the next count query. */
  counting: Timer
  /** The running round of list queries. */
  asking: { again: boolean } | null
}

type Timer = ReturnType<typeof setTimeout> | undefined

const locals = new Map<string, LocalState>()
let ofToken: string | null = null

export function getLocalState(storeId: string): LocalState {
  const { token } = session()
  // Another user signed in: drop the previous user's state.
  if (token !== ofToken) locals.clear()
  ofToken = token
  const known = locals.get(storeId)
  if (known) return known
  const pendingMarks = loadMarks(token, storeId)
  const state: LocalState = {
    pending: new Set<Pending>(pendingMarks),
    pendingMarks,
    received: new Set(),
    reportedRead: new Map(),
    readUpTo: null,
    readUpToId: null,
    deleted: new Set(),
    tests: new Map(),
    resend: { timer: undefined, waitMs: null },
    counting: undefined,
    asking: null,
  }
  locals.set(storeId, state)
  return state
}
