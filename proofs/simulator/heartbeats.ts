import { beat } from '../../server/delivery/send/workers.ts'
import { type Actor, ProcessKilled } from './actors.ts'
import type { Harness } from './harness.ts'

// Heartbeats of the processes, every few seconds.

/** Writes the heartbeats that live workers would have sent between two passes, when no code of theirs runs. */
export async function recordMissedHeartbeats({ environment, workers, clock }: Harness): Promise<void> {
  const alive = workers.filter(({ life }) => !life.isDead).map(({ deps }) => deps.workerId)
  await environment.pool.query('update workers set seen_at = $1 where id = any($2) and seen_at < $1', [
    new Date(clock.now().getTime() - 3_000),
    alive,
  ])
}

/** Interval of heartbeats. Without them the other worker would consider a waiting one dead. */
export const BEAT_MS = 4_000

export async function recordHeartbeat({ deps, life }: Actor): Promise<void> {
  if (life.isDead) return
  const { statements } = life
  await beat(deps).catch((error) => {
    if (!(error instanceof ProcessKilled)) throw error
  })
  // Not part of a pass: a long wait, such as that of an erasure for messages in flight, would exceed the limit.
  life.statements = statements
}
