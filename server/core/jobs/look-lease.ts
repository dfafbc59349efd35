import { type Db, sql } from '../db/public.ts'

// One worker of an installation looks for due work in all stores. Two at once are harmless: each statement takes only
// rows that no other worker holds.

const LEASE_MS = 4_000
/** A lease that ends later was written by a clock that has been set back since. */
const MAX_AHEAD_MS = 2 * LEASE_MS

export interface LookLease {
  /** Takes or renews the lease; called every second. */
  renew(): Promise<void>
  isHeld(): boolean
  release(): Promise<void>
}

export function openLookLease({ db, now, workerId }: { db: Db; now: () => Date; workerId: string }): LookLease {
  let heldUntil = 0
  return {
    async renew() {
      const startedAt = performance.now()
      const isHeld = await takeLease(db, workerId, now())
      heldUntil = isHeld ? startedAt + LEASE_MS : 0
    },
    isHeld: () => performance.now() < heldUntil,
    async release() {
      heldUntil = 0
      await sql`delete from look_lease where worker_id = ${workerId}`.execute(db)
    },
  }
}

async function takeLease(db: Db, workerId: string, now: Date): Promise<boolean> {
  const until = new Date(now.getTime() + LEASE_MS)
  const maxUntil = new Date(now.getTime() + MAX_AHEAD_MS)
  const { rows } = await sql`
    insert into look_lease (id, worker_id, until)
    select 1, ${workerId}, ${until}::timestamptz where not exists (
      select 1 from look_lease where worker_id <> ${workerId} and until between ${now} and ${maxUntil})
    on conflict (id) do update set worker_id = excluded.worker_id, until = excluded.until
    where look_lease.worker_id = ${workerId} or not look_lease.until between ${now} and ${maxUntil}
    returning 1`.execute(db)
  return rows.length > 0
}
