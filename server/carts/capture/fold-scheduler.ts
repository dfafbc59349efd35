// Schedules the folding of posts by store. Only the number of waiting posts is kept here; the posts are in the
// database.

/** Longest wait for more posts of the same store, unless folds of other stores take longer. */
const MAX_WAIT_MS = 1_000
/** Concurrent folds: taking in posts has priority. */
const CONCURRENT_FOLDS = 1
/** Time for the last folds of a process. The worker folds what is left. */
const MAX_END_MS = 2_000

export interface FoldScheduler {
  /** Adds a stored post of this store. */
  add(storeId: string): void
  /** Resolves when no work is in progress. */
  end(): Promise<void>
}

interface Waiting {
  count: number
  since: number
}

/** `fold` folds up to `batch` of a store's oldest posts and returns their number. It must not throw. */
export function scheduleFolds(batch: number, fold: (storeId: string) => Promise<number>): FoldScheduler {
  /** In order of waiting time. */
  const waiting = new Map<string, Waiting>()
  /** Stores with a full batch. */
  const full = new Set<string>()
  const busy = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | null = null
  let endsAt: number | null = null

  const wait = (storeId: string, count: number) => {
    const store = waiting.get(storeId) ?? { count: 0, since: performance.now() }
    store.count += count
    waiting.set(storeId, store)
    if (store.count >= batch) full.add(storeId)
  }
  const take = async (storeId: string) => {
    const { count } = waiting.get(storeId)!
    waiting.delete(storeId)
    full.delete(storeId)
    const folded = await fold(storeId)
    // Fewer than a batch means that none are left. Otherwise the store queues again behind the others.
    if (folded >= batch && count > folded) wait(storeId, count - folded)
  }
  const nextOne = (now: number) => {
    const [first] = waiting
    const isDue = first && (endsAt !== null || now - first[1].since >= MAX_WAIT_MS)
    return isDue ? first[0] : full.values().next().value
  }
  const start = () => {
    const now = performance.now()
    if (endsAt !== null && now >= endsAt) return
    while (busy.size < CONCURRENT_FOLDS) {
      const storeId = nextOne(now)
      if (storeId === undefined) return wakeLater(now)
      const turn: Promise<void> = take(storeId).finally(() => {
        busy.delete(turn)
        start()
      })
      busy.add(turn)
    }
  }
  const wakeLater = (now: number) => {
    const [first] = waiting.values()
    if (!first || timer) return
    const wake = () => {
      timer = null
      start()
    }
    timer = setTimeout(wake, Math.max(0, first.since + MAX_WAIT_MS - now) + 1)
  }
  return {
    add(storeId) {
      wait(storeId, 1)
      start()
    },
    async end() {
      endsAt = performance.now() + MAX_END_MS
      if (timer) clearTimeout(timer)
      timer = null
      start()
      while (busy.size > 0) await Promise.all(busy)
    },
  }
}
