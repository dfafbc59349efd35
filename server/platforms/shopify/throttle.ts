import { setTimeout as realSleep } from 'node:timers/promises'
import { type StoreNet, StoreProblem } from '../platform/public.ts'

// Rate limit of one store's app: a bucket of points that refills steadily. Each response reports its state; between
// responses it is estimated. Each store has its own, so stores do not wait for each other.

/** Throws when the signal aborts. */
export async function pause(net: StoreNet, ms: number, signal?: AbortSignal): Promise<void> {
  const sleep = net.sleep ?? ((wait, stop) => realSleep(wait, undefined, stop ? { signal: stop } : {}))
  await sleep(ms, signal).catch(() => {
    throw new StoreProblem('timeout', 'stopped')
  })
}
