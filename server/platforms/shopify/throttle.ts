import { setTimeout as realSleep } from 'node:timers/promises'
import type { StoreNet } from '../platform/access.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { at } from './fields.ts'

// Rate limit of one store's app: a bucket of points that refills steadily. Each response reports its state; between
// responses it is estimated. Each store has its own, so stores do not wait for each other.

const RETRY_MS = 1_000
/** Maximum wait before the store is asked again, whatever it reported. */
const MAX_WAIT_MS = 30_000
/** Other clients use points too. After these waits the store itself refuses. */
const MAX_WAITS = 3

export interface Throttle {
  /** Waits until an estimated `cost` points are available, and takes them. */
  take(cost: number, signal?: AbortSignal): Promise<void>
  /** Reads a response's throttle status. */
  note(extensions: unknown): void
  /** After a refusal: waits until `cost` points should be available. */
  wait(cost: number, signal?: AbortSignal): Promise<void>
}

interface Bucket {
  available: number
  most: number
  perSecond: number
  at: number
}

export function createThrottle(net: StoreNet): Throttle {
  let bucket: Bucket | null = null
  const sleep = (ms: number, signal?: AbortSignal) => pause(net, ms, signal)

  function refill(): number {
    if (!bucket) return Number.POSITIVE_INFINITY
    const seconds = Math.max(net.now().getTime() - bucket.at, 0) / 1_000
    bucket.available = Math.min(bucket.most, bucket.available + seconds * bucket.perSecond)
    bucket.at = net.now().getTime()
    return bucket.available
  }

  /** 0: available. A cost above the bucket's size waits for a full bucket. */
  function missingMs(cost: number): number {
    const missing = Math.min(cost, bucket?.most ?? cost) - refill()
    return bucket && missing > 0 ? Math.min(Math.ceil((missing / bucket.perSecond) * 1_000), MAX_WAIT_MS) : 0
  }

  return {
    async take(cost, signal) {
      for (let waits = 0; waits < MAX_WAITS && missingMs(cost) > 0; waits += 1) await sleep(missingMs(cost), signal)
      refill()
      if (bucket) bucket.available -= cost
    },
    note(extensions) {
      const status = at(extensions, 'cost', 'throttleStatus')
      const [available, most, perSecond] = ['currentlyAvailable', 'maximumAvailable', 'restoreRate'].map((name) =>
        parsePoints(at(status, name)),
      )
      if (available == null || !most || !perSecond) return
      bucket = { available: Math.min(available, most), most, perSecond, at: net.now().getTime() }
    },
    wait: (cost, signal) => sleep(Math.max(missingMs(cost), RETRY_MS), signal),
  }
}

/** Points: positive, and below any plan's limit by far. */
const parsePoints = (input: unknown): number | null =>
  typeof input === 'number' && input >= 0 && input < 1e9 ? input : null

/** Throws when the signal aborts. */
export async function pause(net: StoreNet, ms: number, signal?: AbortSignal): Promise<void> {
  const sleep = net.sleep ?? ((wait, stop) => realSleep(wait, undefined, stop ? { signal: stop } : {}))
  await sleep(ms, signal).catch(() => {
    throw new StoreProblem('timeout', 'stopped')
  })
}
