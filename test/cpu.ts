const ATTEMPTS = 3
/** Quick enough for nobody to ask again. */
const QUICK_MS = 20

/** The shortest of three runs, in CPU time of this thread: what a busy machine does meanwhile is not counted. */
export function leastCpuMs(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least > QUICK_MS; attempt++) {
    const before = process.threadCpuUsage()
    run()
    least = Math.min(least, msSince(before))
  }
  return least
}

export async function leastCpuMsOf(run: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least > QUICK_MS; attempt++) {
    const before = process.threadCpuUsage()
    await run()
    least = Math.min(least, msSince(before))
  }
  return least
}

function msSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
