import { useSyncExternalStore } from 'react'

// Deletions that can be undone: what is deleted disappears at once, its request is sent when the offer to undo ends.

export const UNDO_MS = 6_000

export interface Deletion {
  id: string
  /** `keepalive`: the page is closing, so the request must outlive it. */
  send: (options: { keepalive: boolean }) => Promise<unknown>
  /** The server refused; the row is visible again. */
  onFailed: (error: Error) => void
  /** The offer to undo is over: undone, or the request is on its way. */
  onClosed?: () => void
}

export function createDeletions() {
  const pending = new Map<string, Deletion & { timer: ReturnType<typeof setTimeout> }>()
  const requests = new Set<Promise<void>>()
  const listeners = new Set<() => void>()
  // Ids of deleted rows stay hidden, so a list fetched before the deletion does not show them again.
  let hidden: ReadonlySet<string> = new Set()

  const hide = (next: Iterable<string>) => {
    hidden = new Set(next)
    for (const listener of listeners) listener()
  }
  const show = (id: string) => hide([...hidden].filter((other) => other !== id))

  const close = (id: string) => {
    const deletion = pending.get(id)
    if (!deletion) return null
    clearTimeout(deletion.timer)
    pending.delete(id)
    deletion.onClosed?.()
    return deletion
  }

  function finish(id: string, keepalive = false): void {
    const deletion = close(id)
    if (!deletion) return
    const request: Promise<void> = deletion
      .send({ keepalive })
      .then(
        () => undefined,
        (error: Error) => {
          show(id)
          deletion.onFailed(error)
        },
      )
      .finally(() => requests.delete(request))
    requests.add(request)
    hide(hidden)
  }

  return {
    start(deletion: Deletion): void {
      if (hidden.has(deletion.id)) return
      pending.set(deletion.id, { ...deletion, timer: setTimeout(() => finish(deletion.id), UNDO_MS) })
      hide([...hidden, deletion.id])
    },
    undo(id: string): void {
      if (close(id)) show(id)
    },
    finish,
    /** Sends what is pending. Resolves when the server has answered all requests. */
    async finishAll({ keepalive = false } = {}): Promise<void> {
      for (const id of pending.keys()) finish(id, keepalive)
      await Promise.all(requests)
    },
    isUndoable: (id: string) => pending.has(id),
    listHidden: () => hidden,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export const deletions = createDeletions()
if (typeof addEventListener === 'function') {
  const finishAll = () => void deletions.finishAll({ keepalive: true })
  addEventListener('pagehide', finishAll)
  // A browser may discard a page in the background without another event.
  document.addEventListener('visibilitychange', () => document.hidden && finishAll())
}

/** Ids of rows that lists leave out. */
export const useHiddenIds = () => useSyncExternalStore(deletions.subscribe, deletions.listHidden)

export const useIsUndoable = (id: string) => useSyncExternalStore(deletions.subscribe, () => deletions.isUndoable(id))
