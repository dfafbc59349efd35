import { beat } from '../../server/delivery/send/workers.ts'
import { type Actor, ProcessKilled } from './actors.ts'
import type { Harness } from './harness.ts'

// That processes live, as they say it every few seconds.

/** Between two looks nobody calls them, and yet whoever lives has said so every three seconds; this is what came of it. */
export async function recordMissedHeartbeats({ outside, workers, clock }: Harness): Promise<void> {
  const alive = workers.filter(({ life }) => !life.isDead).map(({ deps }) => deps.workerId)
  await outside.pool.query('update workers set seen_at = $1 where id = any($2) and seen_at < $1', [
    new Date(clock.now().getTime() - 3_000),
    alive,
  ])
}

/** As often as a process says so that is alive and only waits: without it the other worker would take it for dead. */
export const BEAT_MS = 4_000

export async function recordHeartbeat({ deps, life }: Actor): Promise<void> {
  if (life.isDead) return
  const { statements } = life
  await beat(deps).catch((error) => {
    if (!(error instanceof ProcessKilled)) throw error
  })
  // No part of a look for work: one that waits half an hour, as an erasure does for the wire, would not end.
  life.statements = statements
}
