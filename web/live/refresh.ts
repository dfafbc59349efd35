import type { QueryClient } from '@tanstack/react-query'
import type { LivePart } from '../../shared/live.ts'
import { isOutdatedBy, isResting } from './rules.ts'

/**
 * Refetches changed data, one round at a time: otherwise a slow answer would be discarded by each new change. In hidden
 * tabs changes are collected until the tab is shown.
 */
export function createRefresher(queries: QueryClient) {
  const waiting = new Set<LivePart>()
  let isAsking = false
  let isAnew = false
  const ask = async () => {
    if (isAsking) return
    isAsking = true
    while (waiting.size > 0 && !document.hidden) {
      const changed = [...waiting]
      waiting.clear()
      const rests = isAnew ? () => false : isResting
      isAnew = false
      await queries.invalidateQueries({
        predicate: ({ queryKey, state }) => isOutdatedBy(changed, queryKey) && !rests(state, Date.now()),
      })
    }
    isAsking = false
  }
  const onShown = () => void ask()
  document.addEventListener('visibilitychange', onShown)
  return {
    /** `afterAbsence`: the server is back, so failed queries are repeated too. */
    changed(parts: readonly LivePart[], afterAbsence = false) {
      if (afterAbsence) isAnew = true
      for (const part of parts) waiting.add(part)
      void ask()
    },
    stop() {
      waiting.clear()
      document.removeEventListener('visibilitychange', onShown)
    },
  }
}
