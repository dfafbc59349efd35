import { createRequire, syncBuiltinESMExports } from 'node:module'

// Time of a history. `true` time only runs forward and is the store's; the engine's clock is off by whatever it jumped.
// Timers of the engine (lease renewals, limits, its short sleeps) run on it, so that nothing waits for real.

export interface Clock {
  /** What the engine reads. */
  now(): Date
  /** The store's own clock, and the measure of "within a second": no jump moves it. */
  trueNow(): number
  pass(ms: number): Promise<void>
  /** Does it once when so much time has passed, within whatever waits for it; called off by what it answers. */
  after(ms: number, run: () => Promise<void>): () => void
  /** Steps the engine's clock; 'right' puts it right again. */
  jump(ms: number | 'right'): void
}

interface Timer {
  at: number
  everyMs: number | null
  run: () => unknown
}

export const FIRST_DAY = Date.UTC(2026, 2, 2)
const HOUR_MS = 3_600_000
/** A process that sleeps a moment may be woken late; so a wait for a dead one's lease takes a few looks, not hundreds. */
const OVERSLEEP = 50

/** Over a longer wait, what comes every few seconds comes once: hours of it would say no more. */
const LONG_MS = 120_000

const timers = new Set<Timer>()
let trueMs = FIRST_DAY
let offsetMs = 0

/** `day`: after the first. */
export function startClock(hour: number, day: number): Clock {
  timers.clear()
  trueMs = FIRST_DAY + (day * 24 + hour) * HOUR_MS
  offsetMs = 0
  return {
    now: () => new Date(trueMs + offsetMs),
    trueNow: () => trueMs,
    pass,
    after(ms, run) {
      const timer = later(ms, null, run)
      return () => timers.delete(timer)
    },
    jump(ms) {
      offsetMs = ms === 'right' ? 0 : offsetMs + ms
    },
  }
}

async function pass(ms: number): Promise<void> {
  const until = trueMs + ms
  for (;;) {
    const next = [...timers].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0]
    if (!next) break
    trueMs = Math.max(trueMs, next.at)
    if (next.everyMs === null) timers.delete(next)
    else next.at = (until - next.at > LONG_MS ? until : next.at) + next.everyMs
    await next.run()
  }
  trueMs = Math.max(trueMs, until)
}

function later(ms: number, everyMs: number | null, run: () => unknown): Timer {
  const timer = { at: trueMs + ms, everyMs, run }
  timers.add(timer)
  return timer
}

/** For a process that does nothing but simulate: everything the engine waits by follows the history's time from now on. */
export function replaceTimers(): void {
  Object.assign(globalThis, {
    setInterval: (run: () => unknown, ms: number) => later(ms, ms, run),
    clearInterval: (timer: Timer) => timers.delete(timer),
    setTimeout: (run: (...args: unknown[]) => unknown, ms: number, ...args: unknown[]) =>
      later(ms, null, () => run(...args)),
    clearTimeout: (timer: Timer) => timers.delete(timer),
  })
  // How long somebody has waited in front of a button, and how long a template has taken.
  performance.now = () => trueMs
  AbortSignal.timeout = (ms: number) => {
    const controller = new AbortController()
    later(ms, null, () => controller.abort(new DOMException('The time is up', 'TimeoutError')))
    return controller.signal
  }
  const promises = createRequire(import.meta.url)('node:timers/promises')
  promises.setTimeout = async (ms: number, value: unknown) => {
    await pass(ms * OVERSLEEP)
    return value
  }
  syncBuiltinESMExports()
}
