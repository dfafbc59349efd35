interface Shared {
  started: Promise<{ value: unknown; end: () => Promise<void> }>
  ended?: Promise<void>
  users: number
}

/** Vitest loads a global set-up again for each project of a run; this object survives. */
const holder = process as unknown as { sharedByTests?: Map<string, Shared> }
holder.sharedByTests ??= new Map()
const all = holder.sharedByTests

/** Shares something between the projects of a run: started by the first, stopped when the last releases it. */
export async function runOncePerRun<T>(
  name: string,
  start: () => Promise<{ value: T; end: () => Promise<void> }>,
): Promise<{ value: T; release: () => Promise<void> }> {
  const shared = all.get(name) ?? { started: start(), users: 0 }
  all.set(name, shared)
  shared.users += 1
  const { value } = await shared.started
  return {
    value: value as T,
    async release() {
      shared.users -= 1
      if (shared.users > 0) return
      all.delete(name)
      await endShared(shared)
    },
  }
}

/** Stops it before the end of the run, when no project needs it any more. */
export async function endEarly(name: string): Promise<void> {
  const shared = all.get(name)
  if (shared) await endShared(shared)
}

const endShared = (shared: Shared) => (shared.ended ??= shared.started.then(({ end }) => end()))
