import { useSyncExternalStore } from 'react'
import {
  deleteNotifications,
  type NotificationView,
  restoreNotifications,
  UNDO_MS,
} from '../../shared/notification-calls.ts'
import { call } from '../api.ts'
import { announce } from '../ui/announce.ts'
import {
  addNew,
  askAgain,
  begin,
  changeCount,
  countAgain,
  countKnown,
  end,
  idsInBell,
  isMeant,
  knownOf,
  ofStore,
  type Where,
} from './cache.ts'
import type { Meant, Pending } from './kept.ts'
import { localOf } from './local.ts'

// Deletes immediately, without a confirmation, with undo for 10 seconds (decision 67).

interface Deletion {
  where: Where
  pending: Pending
  isAll: boolean
  removed: NotificationView[]
  /** Which of them were in the bell's list. */
  inBell: Set<string>
  /** Undo token; null if the server deleted nothing or failed. */
  undo: Promise<string | null>
}

type Taken = Pick<Deletion, 'removed' | 'inBell'>

/** The pending undo. Consecutive deletions are undone together. */
export interface Undoable {
  text: string
  deletions: Deletion[]
}

export function deleteThese(where: Where, meant: Meant): void {
  const known = knownOf(where)
  const isOne = isMeant(meant, known)
  const removed = [...known.values()].filter(isOne)
  const unread = removed.filter(({ read }) => !read).length
  const isAll = 'upTo' in meant
  const inBell = idsInBell(where)
  const change = (items: NotificationView[]) => items.filter((item) => !isOne(item))
  const pending: Pending = { lowers: unread, isUpTo: isAll, change }
  for (const { _id } of removed) localOf(where.storeId).gone.add(_id)
  begin(where, pending)
  if (isAll) countKnown(where)
  else changeCount(where, -unread)
  offer({ where, pending, isAll, removed, inBell, undo: send(where, meant, { pending, removed, inBell }) })
}

async function send(
  where: Where,
  meant: Meant,
  { pending, ...taken }: { pending: Pending } & Taken,
): Promise<string | null> {
  try {
    const { undo } = await call(deleteNotifications, { query: ofStore(where), body: meant })
    end(where, pending)
    return undo
  } catch (error) {
    end(where, pending)
    takeOut(pending)
    bringBack(where, taken)
    announce((error as Error).message, 'bad')
    return null
  } finally {
    countAgain(where)
    void askAgain(where)
  }
}

function bringBack(where: Where, { removed, inBell }: Taken): void {
  for (const item of removed) {
    localOf(where.storeId).gone.delete(item._id)
    addNew(where, item, inBell.has(item._id))
  }
}

let undoable: Undoable | null = null
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function offer(deletion: Deletion): void {
  show(undoableOf([...(undoable?.deletions ?? []), deletion]))
  clearTimeout(timer)
  timer = setTimeout(withdraw, UNDO_MS)
}

function undoableOf(deletions: Deletion[]): Undoable {
  const count = deletions.reduce((sum, { removed }) => sum + removed.length, 0)
  const text = deletions.at(-1)?.isAll
    ? 'All notifications cleared.'
    : `${count === 1 ? 'Notification' : `${count} notifications`} deleted.`
  return { text, deletions }
}

/** A failed deletion; the others can still be undone. */
function takeOut(failed: Pending): void {
  if (!undoable) return
  const deletions = undoable.deletions.filter(({ pending }) => pending !== failed)
  if (deletions.length === 0) withdraw()
  else show(undoableOf(deletions))
}

function withdraw(): void {
  clearTimeout(timer)
  show(null)
}

function show(next: Undoable | null): void {
  undoable = next
  for (const listener of listeners) listener()
}

export const undoableNow = (): Undoable | null => undoable

export const useUndoable = (): Undoable | null =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, undoableNow)

export async function undoDeletion(): Promise<void> {
  const deletions = undoable?.deletions ?? []
  withdraw()
  for (const { where, undo, ...taken } of deletions) {
    const token = await undo
    if (token === null) continue
    bringBack(where, taken)
    await call(restoreNotifications, { query: ofStore(where), body: { undo: token } }).catch((error) =>
      announce((error as Error).message, 'bad'),
    )
    countAgain(where)
    void askAgain(where)
  }
}
