import { useEffect, useSyncExternalStore } from 'react'

// Forms whose changes would be lost where the guard leads away by itself, because the store was disconnected elsewhere.

let held = 0
const listeners = new Set<() => void>()

function change(by: number) {
  held += by
  for (const listener of listeners) listener()
}

/** While `isHeld`, a store that is no longer connected does not take this form away. */
export function useHeldOpen(isHeld: boolean): void {
  useEffect(() => {
    if (!isHeld) return
    change(1)
    return () => change(-1)
  }, [isHeld])
}

export const useIsHeldOpen = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => held > 0,
  )
