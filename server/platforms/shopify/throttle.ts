import { setTimeout as realSleep } from 'node:timers/promises'
import type { StoreNet } from '../platform/access.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { at } from './fields.ts'

// What one store's app may still ask: a bucket of points that fills steadily. Shopify tells its state with each answer; between
// answers it is reckoned. It is one store's own: nobody waits for another's.

const RETRY_MS = 1_000
/** What a store says about itself is not waited for longer than this before it is asked again. */
const LONGEST_WAIT_MS = 30_000
/** Others ask too. Then the store says itself that it is too much. */
const MOST_WAITS = 3

export interface Throttle {
  /** Waits until `cost` points are there, as far as is known, and takes them. */
  take(cost: number, signal?: AbortSignal): Promise<void>
  /** What an answer says: how much is left, and what a query like this one is reckoned at before it runs. */
  note(extensions: unknown): void
  /** After a refusal: until `cost` points should be there. */
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

  function reckon(): number {
    if (!bucket) return Number.POSITIVE_INFINITY
    const seconds = Math.max(net.now().getTime() - bucket.at, 0) / 1_000
    bucket.available = Math.min(bucket.most, bucket.available + seconds * bucket.perSecond)
    bucket.at = net.now().getTime()
    return bucket.available
  }

  /** 0: they are there. More than the bucket holds never is: then a full one has to do. */
  function missingMs(cost: number): number {
    const missing = Math.min(cost, bucket?.most ?? cost) - reckon()
    return bucket && missing > 0 ? Math.min(Math.ceil((missing / bucket.perSecond) * 1_000), LONGEST_WAIT_MS) : 0
  }

  return {
    async take(cost, signal) {
      for (let waits = 0; waits < MOST_WAITS && missingMs(cost) > 0; waits += 1) await sleep(missingMs(cost), signal)
      reckon()
      if (bucket) bucket.available -= cost
    },
    note(extensions) {
      const status = at(extensions, 'cost', 'throttleStatus')
      const [available, most, perSecond] = ['currentlyAvailable', 'maximumAvailable', 'restoreRate'].map((name) =>
        numberOf(at(status, name)),
      )
      if (available == null || !most || !perSecond) return
      bucket = { available: Math.min(available, most), most, perSecond, at: net.now().getTime() }
    },
    wait: (cost, signal) => sleep(Math.max(missingMs(cost), RETRY_MS), signal),
  }
}

/** Points: positive, and no more than any plan has by far. */
const numberOf = (input: unknown): number | null =>
  typeof input === 'number' && input >= 0 && input < 1e9 ? input : null

/** Throws when the signal says so. */
export async function pause(net: StoreNet, ms: number, signal?: AbortSignal): Promise<void> {
  const sleep = net.sleep ?? ((wait, stop) => realSleep(wait, undefined, stop ? { signal: stop } : {}))
  await sleep(ms, signal).catch(() => {
    throw new StoreProblem('timeout', 'stopped')
  })
}
