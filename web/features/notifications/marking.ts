import { MAX_IDS_PER_EVENT, markNotificationsRead } from '../../../shared/workspace/notification-calls.ts'
import { ApiError, call } from '../../core/api/api.ts'
import { session } from '../../core/session/session.ts'
import {
  addPending,
  buildStoreParams,
  changeCount,
  collectKnown,
  countKnown,
  createMatcher,
  patchLists,
  removePending,
  type StoreCache,
  scheduleCount,
} from './cache.ts'
import { getLocalState } from './local.ts'
import { getRetryDelayMs, setRead } from './order.ts'
import { createMark, type NotificationTarget, type PendingMark, saveMarks } from './pending-marks.ts'

// Marks as read or unread: shown immediately, sent as A 8 requires, retried later on failure.

const AGAIN_MS = 30_000
const LONGEST_AGAIN_MS = 600_000

/** Marks them here and on the server, skipping those already read. */
export async function markRead(cache: StoreCache, target: NotificationTarget): Promise<void> {
  const known = collectKnown(cache)
  const concerned = [...known.values()].filter(createMatcher(target, known)).filter(({ read }) => !read)
  if (concerned.length === 0 && !('upTo' in target)) return
  const sent = 'upTo' in target ? target : { notificationIds: concerned.map(({ _id }) => _id) }
  const newest = 'upTo' in target ? (known.get(target.upTo) ?? null) : null
  const mark = createMark(sent, concerned.length, newest && { _id: newest._id, createdAt: newest.createdAt })
  addPending(cache, mark)
  if ('upTo' in target) countKnown(cache)
  else changeCount(cache, -concerned.length)
  const outcome = await sendMark((signal) => send(cache, sent, signal))
  if (outcome === 'kept') return keepMark(cache, mark)
  removePending(cache, mark)
  if (outcome === 'refused') {
    const ids = new Set(concerned.map(({ _id }) => _id))
    patchLists(cache, (items) => setRead(items, ({ _id }) => ids.has(_id), false))
  }
  scheduleCount(cache)
}

const send = (cache: StoreCache, target: NotificationTarget, signal: AbortSignal) =>
  call(markNotificationsRead, { query: buildStoreParams(cache), body: target, signal })

/** Keeps the mark here, applied to every answer, and retries by timer and on reconnection. */
function keepMark(cache: StoreCache, mark: PendingMark): void {
  getLocalState(cache.storeId).pendingMarks.push(mark)
  savePendingMarks(cache)
  sendLater(cache)
}

/** One timer per store, so stores do not delay each other. */
export function sendLater(cache: StoreCache): void {
  const { pendingMarks, resend } = getLocalState(cache.storeId)
  if (pendingMarks.length === 0) return
  const waitMs = resend.waitMs ?? AGAIN_MS
  resend.timer ??= setTimeout(() => {
    resend.timer = undefined
    resend.waitMs = Math.min(2 * waitMs, LONGEST_AGAIN_MS)
    void sendPendingMarks(cache)
  }, waitMs)
}

/** Including marks in flight, which a reload would abort. */
function savePendingMarks({ storeId }: StoreCache): void {
  const marks = [...getLocalState(storeId).pending].filter((pending): pending is PendingMark => 'meant' in pending)
  saveMarks(session().token, storeId, marks)
}

/** `over`: the live connection, which may be back before HTTP calls succeed. */
export async function sendPendingMarks(cache: StoreCache, over?: (ids: string[]) => Promise<boolean>): Promise<void> {
  const { pendingMarks, resend } = getLocalState(cache.storeId)
  const marks = pendingMarks.splice(0)
  clearTimeout(resend.timer)
  resend.timer = undefined
  const ids = marks.flatMap(({ meant }) => ('upTo' in meant ? [] : meant.notificationIds))
  const isSentLive = over !== undefined && ids.length > 0 && ids.length <= MAX_IDS_PER_EVENT && (await over(ids))
  for (const mark of marks) {
    const outcome =
      isSentLive && !('upTo' in mark.meant) ? 'sent' : await sendMark((signal) => send(cache, mark.meant, signal))
    if (outcome === 'kept') {
      keepMark(cache, mark)
      continue
    }
    resend.waitMs = null
    removePending(cache, mark)
    savePendingMarks(cache)
    scheduleCount(cache)
  }
}

// Sends a read mark to the server (A 8).

class TimedOut extends Error {}

/** `kept`: not sent, but marked here. `refused`: this session lacks permission. */
type MarkResult = 'sent' | 'kept' | 'refused'

/** Sends it and retries after timeouts and network errors; other errors are final. */
export async function sendMark(send: (signal: AbortSignal) => Promise<unknown>): Promise<MarkResult> {
  for (let retry = 0; ; retry += 1) {
    try {
      await sendWithTimeout(send)
      return 'sent'
    } catch (error) {
      if (isLost(error) && retry < MOST_RETRIES)
        await new Promise((resolve) => setTimeout(resolve, getRetryDelayMs(retry)))
      else return error instanceof ApiError && error.status === 401 ? 'refused' : 'kept'
    }
  }
}

async function sendWithTimeout(send: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const control = new AbortController()
  const timer = setTimeout(() => control.abort(new TimedOut()), MARK_TIMEOUT_MS)
  try {
    await send(control.signal)
  } finally {
    clearTimeout(timer)
  }
}

const isLost = (error: unknown) => error instanceof TimedOut || (error instanceof ApiError && error.status === 0)

/** A 8: an unanswered mark counts as lost and is retried after 1, 2 and 4 seconds. */
const MARK_TIMEOUT_MS = 10_000

const MOST_RETRIES = 3
