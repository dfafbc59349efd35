import { createHash } from 'node:crypto'

// How busy the machine is with other things: the time a piece of work takes, divided by the processor time it needs.

export interface SlownessClock {
  /** 1 when nothing kept us waiting since the start. */
  stop(): number
}

const EVERY_MS = 500
const WORK = Buffer.alloc(64 * 1024, 1)

/** One for all lanes, as the work is a burden itself. */
const total = { elapsedMs: 0, workedMs: 0 }
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
      return Math.max(1, (total.elapsedMs - before.elapsedMs) / (total.workedMs - before.workedMs))
    },
  }
  running.add(clock)
  return clock
}

function look(): void {
  const begun = performance.now()
  const before = process.threadCpuUsage()
  for (let n = 0; n < 150; n++) createHash('sha256').update(WORK).digest()
  const { user, system } = process.threadCpuUsage(before)
  total.elapsedMs += performance.now() - begun
  total.workedMs += (user + system) / 1_000
}
