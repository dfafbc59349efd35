const ATTEMPTS = 3

/**
 * Returns the shortest of three runs in CPU time of this thread, so that load of other processes does not count. Stops
 * after a run that stays below `limit`.
 */
export function measureCpuMs(limit: number, run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least >= limit; attempt++) {
    const before = process.threadCpuUsage()
    run()
    least = Math.min(least, measureMsSince(before))
  }
  return least
}

export async function measureAsyncCpuMs(limit: number, run: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least >= limit; attempt++) {
    const before = process.threadCpuUsage()
    await run()
    least = Math.min(least, measureMsSince(before))
  }
  return least
}

function measureMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
