import { setTimeout as sleep } from 'node:timers/promises'
import { recordOrders } from '../carts/record.ts'
import type { Db, StoreDb } from '../db.ts'
import type { Deps } from '../deps.ts'
import { found } from '../errors.ts'
import { storeAccess } from './access.ts'
import {
  before,
  FENCE_LIMIT_MS,
  FENCE_OVERLAP_MS,
  FENCE_REACH_MS,
  isFresh,
  newest as newestOf,
  nextWatermark,
} from './rules.ts'
import { OutOfTime, type Run, runStream } from './runs.ts'
import { readStore } from './sql.ts'
import { readStreams } from './sync-sql.ts'

// D3: no message leaves without an order pull of its store that started at most 60 s ago and reached its last page.

export interface Fence {
  isFresh: boolean
  /** When the newest complete pull of orders, of whichever kind, had started; null when none ever was complete. */
  pulledAt: Date | null
}

/** How often a second caller looks whether the pull under way is through. */
const LOOK_EVERY_MS = 100

/** Pulls unless a fresh pull exists; waits for one under way. Never throws for what a store does wrong: it is then not fresh. */
export async function pullFence(deps: Deps, storeId: string, signal: AbortSignal): Promise<Fence> {
  const store = { storeId, db: deps.db }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(FENCE_LIMIT_MS)])
  for (;;) {
    const fence = await readFence(store, deps.now())
    if (fence.isFresh || limit.aborted) return fence
    const result = await runStream(deps, { storeId, stream: 'fence', leaseMs: FENCE_LIMIT_MS + 5_000 }, (run) =>
      pull(run, limit),
    )
    if (result.kind !== 'busy') return readFence(store, deps.now())
    await sleep(LOOK_EVERY_MS)
  }
}

async function readFence(store: StoreDb<Db>, now: Date): Promise<Fence> {
  const streams = await readStreams(store)
  const startOf = (stream: string) => streams.find((each) => each.stream === stream)?.completed_start
  return {
    isFresh: isFresh(startOf('fence') ?? null, now),
    pulledAt: newestOf([startOf('fence'), startOf('sweep'), startOf('import')]),
  }
}

async function pull(run: Run, limit: AbortSignal) {
  const { deps, store, state, startedAt } = run
  const client = await storeAccess(deps, store)
  const row = found(await readStore(store), 'Store')
  const since = state.watermark ? before(state.watermark, FENCE_OVERLAP_MS) : before(row.connected_at, FENCE_REACH_MS)
  let seen: Date | null = null
  let reached: Date | undefined
  let rowsSeen = 0
  try {
    for await (const page of client.orders({ modifiedSince: since.toISOString(), signal: limit })) {
      await recordOrders(deps, store.storeId, page.rows, 'sync')
      seen = newestOf([seen, ...page.rows.map((order) => new Date(order.modifiedAt))])
      reached = page.resumeFrom ? new Date(page.resumeFrom) : reached
      rowsSeen += page.rows.length
      limit.throwIfAborted()
    }
  } catch (error) {
    // Not a failed page but our own limit: the pages read so far are complete, and the next pull goes on behind them.
    if (limit.aborted) throw new OutOfTime(nextWatermark(state.watermark, reached ?? null, startedAt) ?? undefined)
    throw error
  }
  return { watermark: nextWatermark(state.watermark, seen, startedAt), rowsSeen }
}
