import { createHash } from 'node:crypto'

// How busy the machine is with other things: the time a piece of work takes, divided by the processor time it needs.

export interface SlownessClock {
  /** 1 when nothing kept us waiting since the start. */
  stop(): number
}

const EVERY_MS = 500
const WORK = Buffer.alloc(64 * 1024, 1)

export function startSlownessClock(): SlownessClock {
  const total = { elapsedMs: 0, workedMs: 0 }
  const look = () => {
    const begun = performance.now()
    const before = process.cpuUsage()
    for (let n = 0; n < 150; n++) createHash('sha256').update(WORK).digest()
    const { user, system } = process.cpuUsage(before)
    total.elapsedMs += performance.now() - begun
    total.workedMs += (user + system) / 1_000
  }
  look()
  const timer = setInterval(look, EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      return Math.max(1, total.elapsedMs / total.workedMs)
    },
  }
}
