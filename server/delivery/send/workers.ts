import { ageGoods } from '../../access/plugin/public.ts'
import { shiftReadTimes } from '../../carts/sync/public.ts'
import { type Db, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'

// Heartbeats of the worker processes.

const FORGET_AFTER = '1 day'
/** More than the clock skew of two machines, and more than the interval of the heartbeat. */
const AHEAD_MS = 10_000
/** Two missed heartbeats: this process or the database was down. */
const GAP = '7 seconds'

/** Writes this process's heartbeat; called every three seconds. */
export async function beat(deps: Pick<Deps, 'db' | 'now' | 'workerId'>): Promise<void> {
  const now = deps.now()
  const steppedMs = await measureClockStep(deps, now)
  if (steppedMs > 0) {
    await shiftReadTimes(deps.db, steppedMs + AHEAD_MS)
    await ageGoods(deps.db, steppedMs + AHEAD_MS)
    // Otherwise a dead process would count as alive until the clock reaches its last heartbeat; a live one soon beats
    // again (T4).
    await sql`update workers set seen_at = ${now}, steady_since = ${now}
      where id <> ${deps.workerId} and seen_at > ${addMs(now, AHEAD_MS)}`.execute(deps.db)
  }
  await sql`
    with deleted as (delete from workers where id <> ${deps.workerId} and seen_at < ${now}::timestamptz - ${FORGET_AFTER}::interval)
    insert into workers (id, started_at, seen_at, steady_since) values (${deps.workerId}, ${now}, ${now}, ${now})
    on conflict (id) do update set seen_at = excluded.seen_at, steady_since = case
      when excluded.seen_at between workers.seen_at and workers.seen_at + ${GAP}::interval then workers.steady_since
      else excluded.seen_at end`.execute(deps.db)
}

/** Returns by how many ms the clock was set back behind an earlier heartbeat; 0 if it was not. */
async function measureClockStep({ db, workerId }: Pick<Deps, 'db' | 'workerId'>, now: Date): Promise<number> {
  const rows = await sql<{ at: Date | null }>`select max(seen_at) as at from workers
    where seen_at > case when id = ${workerId} then ${now}::timestamptz else ${addMs(now, AHEAD_MS)} end`.execute(db)
  const at = rows.rows[0]?.at
  return at ? at.getTime() - now.getTime() : 0
}

const addMs = (now: Date, ms: number) => new Date(now.getTime() + ms)

/** Deletes the heartbeat of a process that shuts down cleanly: it has nothing in flight. */
export async function endBeat(deps: Pick<Deps, 'db' | 'workerId'>): Promise<void> {
  await deps.db.deleteFrom('workers').where('id', '=', deps.workerId).execute()
}

export async function readLastBeat(db: Db): Promise<Date | null> {
  const rows = await sql<{ at: Date | null }>`select max(seen_at) as at from workers`.execute(db)
  return rows.rows[0]?.at ?? null
}
