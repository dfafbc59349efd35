import { type Db, sql } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { ageGoods } from '../../access/plugin/goods.ts'
import { ageReadings } from '../../carts/sync/streams.ts'

// Heartbeats of the processes that play the worker.

const FORGET_AFTER = '1 day'
/** Clocks of two machines differ by less, and a process beats more often. */
const AHEAD_MS = 10_000
/** Two beats that were missed: something was away, this process or the database. */
const GAP = '7 seconds'

/** Says that this process is alive; called every three seconds. */
export async function beat(deps: Pick<Deps, 'db' | 'now' | 'workerId'>): Promise<void> {
  const now = deps.now()
  const steppedMs = await steppedBack(deps, now)
  if (steppedMs > 0) {
    await ageReadings(deps.db, steppedMs + AHEAD_MS)
    await ageGoods(deps.db, steppedMs + AHEAD_MS)
    // A dead process would look alive until its last beat; a live one beats again at once (T4).
    await sql`update workers set seen_at = ${now}, steady_since = ${now}
      where id <> ${deps.workerId} and seen_at > ${inMs(now, AHEAD_MS)}`.execute(deps.db)
  }
  await sql`
    with gone as (delete from workers where id <> ${deps.workerId} and seen_at < ${now}::timestamptz - ${FORGET_AFTER}::interval)
    insert into workers (id, started_at, seen_at, steady_since) values (${deps.workerId}, ${now}, ${now}, ${now})
    on conflict (id) do update set seen_at = excluded.seen_at, steady_since = case
      when excluded.seen_at between workers.seen_at and workers.seen_at + ${GAP}::interval then workers.steady_since
      else excluded.seen_at end`.execute(deps.db)
}

/** By how much the clock stands before a beat that was made by it, in ms; 0 when it ran on. */
async function steppedBack({ db, workerId }: Pick<Deps, 'db' | 'workerId'>, now: Date): Promise<number> {
  const rows = await sql<{ at: Date | null }>`select max(seen_at) as at from workers
    where seen_at > case when id = ${workerId} then ${now}::timestamptz else ${inMs(now, AHEAD_MS)} end`.execute(db)
  const at = rows.rows[0]?.at
  return at ? at.getTime() - now.getTime() : 0
}

const inMs = (now: Date, ms: number) => new Date(now.getTime() + ms)

/** A process that stops in order has nothing in flight; its row goes, so that nobody waits for it. */
export async function endBeat(deps: Pick<Deps, 'db' | 'workerId'>): Promise<void> {
  await deps.db.deleteFrom('workers').where('id', '=', deps.workerId).execute()
}

/** Whether this process has been heard without a gap since then: whoever is not heard now would have been. */
export async function isSteady({ db, workerId }: Pick<Deps, 'db' | 'workerId'>, since: Date): Promise<boolean> {
  const rows = await sql`select 1 from workers
    where id = ${workerId} and seen_at >= ${since} and steady_since <= ${since}`.execute(db)
  return rows.rows.length > 0
}

export async function lastBeat(db: Db): Promise<Date | null> {
  const rows = await sql<{ at: Date | null }>`select max(seen_at) as at from workers`.execute(db)
  return rows.rows[0]?.at ?? null
}
