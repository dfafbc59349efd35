import { createHash } from 'node:crypto'

// How slow the machine is, by itself or because it is busy with other things: the time that a piece of work takes, divided by what it takes
// on an idle processor of 2.5 GHz, for which the time of recovery is promised.

export interface SlownessClock {
  /** Since the start; at least 1. */
  stop(): number
}

const EVERY_MS = 500
const WORK = Buffer.alloc(64 * 1024, 1)
/** SHA-512, as few processors have instructions for it: the clock compares processors, too. */
const TIMES = 100
const IDLE_MS = 12

/** One for all lanes, as the work is a burden itself. */
const total = { elapsedMs: 0, looks: 0 }
const running = new Set<SlownessClock>()
let timer: NodeJS.Timeout | undefined

export function startSlownessClock(): SlownessClock {
  const before = { ...total }
  look()
  timer ??= setInterval(look, EVERY_MS)
  const clock = {
    stop() {
      running.delete(clock)
      if (running.size === 0) timer = void clearInterval(timer)
      return Math.max(1, (total.elapsedMs - before.elapsedMs) / (total.looks - before.looks) / IDLE_MS)
    },
  }
  running.add(clock)
  return clock
}

function look(): void {
  const begun = performance.now()
  for (let n = 0; n < TIMES; n++) createHash('sha512').update(WORK).digest()
  total.elapsedMs += performance.now() - begun
  total.looks++
}
