import { useRef } from 'react'

const DOUBLE_MS = 1_000

/** Ignores the second press of a double click. */
export function useFirstPress(): () => boolean {
  const last = useRef(Number.NEGATIVE_INFINITY)
  return () => {
    const now = performance.now()
    const isFirst = now - last.current > DOUBLE_MS
    last.current = now
    return isFirst
  }
}
