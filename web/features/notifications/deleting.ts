import { useSyncExternalStore } from 'react'
import {
  deleteNotifications,
  type NotificationView,
  restoreNotifications,
  UNDO_MS,
} from '../../../shared/workspace/notification-calls.ts'
import { call } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import type { Answer } from './cache.ts'
import {
  addPending,
  buildStoreParams,
  changeCount,
  collectKnown,
  countKnown,
  createMatcher,
  insertNew,
  refetchLists,
  removePending,
  type StoreCache,
  scheduleCount,
} from './cache.ts'
import { buildBellKey } from './keys.ts'
import { getLocalState } from './local.ts'
import type { NotificationTarget, Pending } from './pending-marks.ts'

// Deletes immediately, without a confirmation, with undo for 10 seconds (decision 67).

interface Deletion {
  cache: StoreCache
  pending: Pending
  isAll: boolean
  removed: NotificationView[]
  /** Which of them were in the bell's list. */
  inBell: Set<string>
  /** Undo token; null if the server deleted nothing or failed. */
  undo: Promise<string | null>
}

type RemovedItems = Pick<Deletion, 'removed' | 'inBell'>

/** The pending undo. Consecutive deletions are undone together. */
export interface PendingUndo {
  text: string
  deletions: Deletion[]
}

export function startDeletion(cache: StoreCache, target: NotificationTarget): void {
  const known = collectKnown(cache)
  const isOne = createMatcher(target, known)
  const removed = [...known.values()].filter(isOne)
  const unread = removed.filter(({ read }) => !read).length
  const isAll = 'upTo' in target
  const inBell = collectBellIds(cache)
  const change = (items: NotificationView[]) => items.filter((item) => !isOne(item))
  const pending: Pending = { lowers: unread, isUpTo: isAll, change }
  for (const { _id } of removed) getLocalState(cache.storeId).deleted.add(_id)
  addPending(cache, pending)
  if (isAll) countKnown(cache)
  else changeCount(cache, -unread)
  offerUndo({ cache, pending, isAll, removed, inBell, undo: send(cache, target, { pending, removed, inBell }) })
}

async function send(
  cache: StoreCache,
  target: NotificationTarget,
  { pending, ...removed }: { pending: Pending } & RemovedItems,
): Promise<string | null> {
  try {
    const { undo } = await call(deleteNotifications, { query: buildStoreParams(cache), body: target })
    removePending(cache, pending)
    return undo
  } catch (error) {
    removePending(cache, pending)
    dropFromUndo(pending)
    restoreItems(cache, removed)
    announce((error as Error).message, 'bad')
    return null
  } finally {
    scheduleCount(cache)
    void refetchLists(cache)
  }
}

function restoreItems(cache: StoreCache, { removed, inBell }: RemovedItems): void {
  for (const item of removed) {
    getLocalState(cache.storeId).deleted.delete(item._id)
    insertNew(cache, item, inBell.has(item._id))
  }
}

let undoable: PendingUndo | null = null
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function offerUndo(deletion: Deletion): void {
  setUndo(mergeUndo([...(undoable?.deletions ?? []), deletion]))
  clearTimeout(timer)
  timer = setTimeout(closeUndo, UNDO_MS)
}

function mergeUndo(deletions: Deletion[]): PendingUndo {
  const count = deletions.reduce((sum, { removed }) => sum + removed.length, 0)
  const text = deletions.at(-1)?.isAll
    ? 'All notifications cleared.'
    : `${count === 1 ? 'Notification' : `${count} notifications`} deleted.`
  return { text, deletions }
}

/** A failed deletion; the others can still be undone. */
function dropFromUndo(failed: Pending): void {
  if (!undoable) return
  const deletions = undoable.deletions.filter(({ pending }) => pending !== failed)
  if (deletions.length === 0) closeUndo()
  else setUndo(mergeUndo(deletions))
}

function closeUndo(): void {
  clearTimeout(timer)
  setUndo(null)
}

function setUndo(next: PendingUndo | null): void {
  undoable = next
  for (const listener of listeners) listener()
}

export const getPendingUndo = (): PendingUndo | null => undoable

export const usePendingUndo = (): PendingUndo | null =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, getPendingUndo)

export async function undoDeletion(): Promise<void> {
  const deletions = undoable?.deletions ?? []
  closeUndo()
  for (const { cache, undo, ...removed } of deletions) {
    const token = await undo
    if (token === null) continue
    restoreItems(cache, removed)
    await call(restoreNotifications, { query: buildStoreParams(cache), body: { undo: token } }).catch((error) =>
      announce((error as Error).message, 'bad'),
    )
    scheduleCount(cache)
    void refetchLists(cache)
  }
}

/** Those in the bell's list. */
const collectBellIds = ({ queries, storeId }: StoreCache): Set<string> =>
  new Set(queries.getQueryData<Answer>(buildBellKey(storeId))?.notifications.map(({ _id }) => _id))
