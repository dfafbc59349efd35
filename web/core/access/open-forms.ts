import { useEffect, useSyncExternalStore } from 'react'

// Forms with unsaved changes, which the guard must not remove when the store is disconnected in another tab.

let held = 0
const listeners = new Set<() => void>()

function change(by: number) {
  held += by
  for (const listener of listeners) listener()
}

/** While `isHeld`, a disconnected store does not remove this form. */
export function useKeepFormOpen(isHeld: boolean): void {
  useEffect(() => {
    if (!isHeld) return
    change(1)
    return () => change(-1)
  }, [isHeld])
}

export const useHasOpenForm = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => held > 0,
  )
