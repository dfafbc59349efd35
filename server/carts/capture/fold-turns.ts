// Whose posts are made facts of next. Only how many of a store wait is remembered here: the posts themselves lie in the database.

/** A post waits no longer for others of its store that could go with it, unless other stores' posts take so long. */
const LONGEST_WAIT_MS = 1_000
/** Stores whose posts are made facts of at once: taking posts in goes first. */
const FOLDS_AT_ONCE = 1
/** At the end of the process. What it leaves behind, another one finds. */
const LONGEST_END_MS = 2_000

export interface FoldTurns {
  /** A post of this store was kept. */
  add(storeId: string): void
  /** Resolves when nothing is under way any more. */
  end(): Promise<void>
}

interface Waiting {
  count: number
  since: number
}

/** `fold` makes facts of a store's oldest posts, at most `batch`; it answers how many there were, and does not fail. */
export function foldInTurn(batch: number, fold: (storeId: string) => Promise<number>): FoldTurns {
  /** The one that waits longest first. */
  const waiting = new Map<string, Waiting>()
  /** Those of them with enough for a batch. */
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
    // Fewer than a batch were the last ones, whoever took the others. Other stores have their turn in between.
    if (folded >= batch && count > folded) wait(storeId, count - folded)
  }
  const nextOne = (now: number) => {
    const [first] = waiting
    const isDue = first && (endsAt !== null || now - first[1].since >= LONGEST_WAIT_MS)
    return isDue ? first[0] : full.values().next().value
  }
  const start = () => {
    const now = performance.now()
    if (endsAt !== null && now >= endsAt) return
    while (busy.size < FOLDS_AT_ONCE) {
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
    timer = setTimeout(wake, Math.max(0, first.since + LONGEST_WAIT_MS - now) + 1)
  }
  return {
    add(storeId) {
      wait(storeId, 1)
      start()
    },
    async end() {
      endsAt = performance.now() + LONGEST_END_MS
      if (timer) clearTimeout(timer)
      timer = null
      start()
      while (busy.size > 0) await Promise.all(busy)
    },
  }
}
