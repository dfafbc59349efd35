import type { QueryClient } from '@tanstack/react-query'
import type { LivePart } from '../../shared/live.ts'
import { isOutdatedBy } from './rules.ts'

/**
 * Asks again for what has changed. One round after the other: an answer that takes longer than the next change would else be
 * thrown away each time. Behind a tab that nobody looks at, changes are remembered until somebody does.
 */
export function createRefresher(queries: QueryClient) {
  const waiting = new Set<LivePart>()
  let isAsking = false
  const ask = async () => {
    if (isAsking) return
    isAsking = true
    while (waiting.size > 0 && !document.hidden) {
      const changed = [...waiting]
      waiting.clear()
      await queries.invalidateQueries({ predicate: ({ queryKey }) => isOutdatedBy(changed, queryKey) })
    }
    isAsking = false
  }
  const onShown = () => void ask()
  document.addEventListener('visibilitychange', onShown)
  return {
    changed(parts: readonly LivePart[]) {
      for (const part of parts) waiting.add(part)
      void ask()
    },
    stop() {
      waiting.clear()
      document.removeEventListener('visibilitychange', onShown)
    },
  }
}
