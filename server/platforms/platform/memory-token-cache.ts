import type { StoreToken, TokenCache } from './access.ts'

/** For a store that is not saved yet: its token lives as long as the caller. */
export function createMemoryTokenCache(): TokenCache {
  let stored: StoreToken | null = null
  let queue: Promise<unknown> = Promise.resolve()
  return {
    read: async () => stored,
    renew(stale, make) {
      const result = queue.then(async () => {
        if (stored && stored.accessToken !== stale?.accessToken) return stored
        stored = await make()
        return stored
      })
      queue = result.catch(() => undefined)
      return result
    },
  }
}
