import { createRequire, syncBuiltinESMExports } from 'node:module'

// The scenario's time. `trueNow` only moves forward and is the store's clock; the engine's clock deviates by its jumps.
// The engine's timers (lease renewal, limits, sleeps) use it, so that nothing waits in real time.

export interface Clock {
  /** The engine's clock. */
  now(): Date
  /** The store's clock, which jumps do not affect. Rules like "within a second" use it. */
  trueNow(): number
  passTime(ms: number): Promise<void>
  /** Runs once when this much time has passed, even within another wait. Call the result to cancel. */
  after(ms: number, run: () => Promise<void>): () => void
  /** Moves the engine's clock; 'right' resets it to true time. */
  jump(ms: number | 'right'): void
}

interface Timer {
  at: number
  everyMs: number | null
  run: () => unknown
}

export const FIRST_DAY = Date.UTC(2026, 2, 2)
const HOUR_MS = 3_600_000
/** Sleeps last this many times longer, so that waiting for a dead process's lease takes few passes. */
const OVERSLEEP = 50

/** During longer waits, periodic timers run once: repeating them for hours adds nothing. */
const LONG_MS = 120_000

const timers = new Set<Timer>()
let trueMs = FIRST_DAY
let offsetMs = 0

/** `day`: days after the first. */
export function startClock(hour: number, day: number): Clock {
  timers.clear()
  trueMs = FIRST_DAY + (day * 24 + hour) * HOUR_MS
  offsetMs = 0
  return {
    now: () => new Date(trueMs + offsetMs),
    trueNow: () => trueMs,
    passTime,
    after(ms, run) {
      const timer = runLater(ms, null, run)
      return () => timers.delete(timer)
    },
    jump(ms) {
      offsetMs = ms === 'right' ? 0 : offsetMs + ms
    },
  }
}

async function passTime(ms: number): Promise<void> {
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

function runLater(ms: number, everyMs: number | null, run: () => unknown): Timer {
  const timer = { at: trueMs + ms, everyMs, run }
  timers.add(timer)
  return timer
}

/** Replaces the timers of a process that only simulates: all waits follow the scenario's time from now on. */
export function replaceTimers(): void {
  Object.assign(globalThis, {
    setInterval: (run: () => unknown, ms: number) => runLater(ms, ms, run),
    clearInterval: (timer: Timer) => timers.delete(timer),
    setTimeout: (run: (...args: unknown[]) => unknown, ms: number, ...args: unknown[]) =>
      runLater(ms, null, () => run(...args)),
    clearTimeout: (timer: Timer) => timers.delete(timer),
  })
  // Used for times of user actions and of template rendering.
  performance.now = () => trueMs
  AbortSignal.timeout = (ms: number) => {
    const controller = new AbortController()
    runLater(ms, null, () => controller.abort(new DOMException('The time is up', 'TimeoutError')))
    return controller.signal
  }
  const promises = createRequire(import.meta.url)('node:timers/promises')
  promises.setTimeout = async (ms: number, value: unknown) => {
    await passTime(ms * OVERSLEEP)
    return value
  }
  syncBuiltinESMExports()
}
