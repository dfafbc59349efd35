import { createHash } from 'node:crypto'

// Measures how slow the machine is, by itself or due to load: the time of a piece of work divided by its time on an
// idle 2.5 GHz processor, for which the recovery time is promised.

export interface SlownessClock {
  /** Since the start; at least 1. */
  stop(): number
}

const EVERY_MS = 500
const WORK = Buffer.alloc(64 * 1024, 1)
/** SHA-512, because few processors accelerate it: the clock also compares processors. */
const TIMES = 100
const IDLE_MS = 12

/** Shared by all lanes, because the measurement itself is a load. */
const total = { elapsedMs: 0, samples: 0 }
const running = new Set<SlownessClock>()
let timer: NodeJS.Timeout | undefined

export function startSlownessClock(): SlownessClock {
  const before = { ...total }
  measureOnce()
  timer ??= setInterval(measureOnce, EVERY_MS)
  const clock = {
    stop() {
      running.delete(clock)
      if (running.size === 0) timer = void clearInterval(timer)
      return Math.max(1, (total.elapsedMs - before.elapsedMs) / (total.samples - before.samples) / IDLE_MS)
    },
  }
  running.add(clock)
  return clock
}

function measureOnce(): void {
  const startedAt = performance.now()
  for (let n = 0; n < TIMES; n++) createHash('sha512').update(WORK).digest()
  total.elapsedMs += performance.now() - startedAt
  total.samples++
}
