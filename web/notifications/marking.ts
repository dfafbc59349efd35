import { MOST_IDS_IN_AN_EVENT, markNotificationsRead } from '../../shared/notification-calls.ts'
import { session } from '../access/session.ts'
import { call } from '../api.ts'
import { announce } from '../ui/announce.ts'
import {
  begin,
  changeCount,
  countAgain,
  countKnown,
  end,
  isMeant,
  knownOf,
  ofStore,
  patch,
  type Where,
} from './cache.ts'
import { aMark, type KeptMark, type Meant, storeMarks } from './kept.ts'
import { localOf } from './local.ts'
import { sendMark } from './mark.ts'
import { withRead } from './order.ts'

// Marks as read or unread: shown immediately, sent as A 8 requires, retried later on failure.

const AGAIN_MS = 30_000
const LONGEST_AGAIN_MS = 600_000

/** Marks them here and on the server, skipping those already read. */
export async function markRead(where: Where, meant: Meant): Promise<void> {
  const known = knownOf(where)
  const concerned = [...known.values()].filter(isMeant(meant, known)).filter(({ read }) => !read)
  if (concerned.length === 0 && !('upTo' in meant)) return
  const sent = 'upTo' in meant ? meant : { notificationIds: concerned.map(({ _id }) => _id) }
  const newest = 'upTo' in meant ? (known.get(meant.upTo) ?? null) : null
  const mark = aMark(sent, concerned.length, newest && { _id: newest._id, createdAt: newest.createdAt })
  begin(where, mark)
  if ('upTo' in meant) countKnown(where)
  else changeCount(where, -concerned.length)
  const outcome = await sendMark((signal) => send(where, sent, signal))
  if (outcome === 'kept') return keep(where, mark)
  end(where, mark)
  if (outcome === 'refused') {
    const ids = new Set(concerned.map(({ _id }) => _id))
    patch(where, (items) => withRead(items, ({ _id }) => ids.has(_id), false))
  }
  countAgain(where)
}

export async function markUnread(where: Where, id: string): Promise<void> {
  const change = (read: boolean) => patch(where, (items) => withRead(items, ({ _id }) => _id === id, read))
  change(false)
  changeCount(where, 1)
  try {
    const body = { notificationIds: [id], read: false }
    await call(markNotificationsRead, { query: ofStore(where), body })
  } catch (error) {
    change(true)
    announce((error as Error).message, 'bad')
  }
  countAgain(where)
}

const send = (where: Where, meant: Meant, signal: AbortSignal) =>
  call(markNotificationsRead, { query: ofStore(where), body: meant, signal })

/** Keeps the mark here, applied to every answer, and retries by timer and on reconnection. */
function keep(where: Where, mark: KeptMark): void {
  localOf(where.storeId).kept.push(mark)
  storeKept(where)
  sendLater(where)
}

/** One timer per store, so stores do not delay each other. */
export function sendLater(where: Where): void {
  const { kept, resend } = localOf(where.storeId)
  if (kept.length === 0) return
  const waitMs = resend.waitMs ?? AGAIN_MS
  resend.timer ??= setTimeout(() => {
    resend.timer = undefined
    resend.waitMs = Math.min(2 * waitMs, LONGEST_AGAIN_MS)
    void sendKept(where)
  }, waitMs)
}

/** Including marks in flight, which a reload would abort. */
function storeKept({ storeId }: Where): void {
  const marks = [...localOf(storeId).pending].filter((pending): pending is KeptMark => 'meant' in pending)
  storeMarks(session().token, storeId, marks)
}

/** `over`: the live connection, which may be back before HTTP calls succeed. */
export async function sendKept(where: Where, over?: (ids: string[]) => Promise<boolean>): Promise<void> {
  const { kept, resend } = localOf(where.storeId)
  const marks = kept.splice(0)
  clearTimeout(resend.timer)
  resend.timer = undefined
  const ids = marks.flatMap(({ meant }) => ('upTo' in meant ? [] : meant.notificationIds))
  const isTaken = over !== undefined && ids.length > 0 && ids.length <= MOST_IDS_IN_AN_EVENT && (await over(ids))
  for (const mark of marks) {
    const outcome =
      isTaken && !('upTo' in mark.meant) ? 'sent' : await sendMark((signal) => send(where, mark.meant, signal))
    if (outcome === 'kept') {
      keep(where, mark)
      continue
    }
    resend.waitMs = null
    end(where, mark)
    storeKept(where)
    countAgain(where)
  }
}
