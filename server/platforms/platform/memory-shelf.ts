import type { StoreToken, TokenShelf } from './access.ts'

/** For a store that is not saved yet: its token lives as long as the caller. */
export function memoryShelf(): TokenShelf {
  let kept: StoreToken | null = null
  let queue: Promise<unknown> = Promise.resolve()
  return {
    read: async () => kept,
    renew(stale, make) {
      const turn = queue.then(async () => {
        if (kept && kept.accessToken !== stale?.accessToken) return kept
        kept = await make()
        return kept
      })
      queue = turn.catch(() => undefined)
      return turn
    },
  }
}
