import type { Db, StoreDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './send-due-sql.ts'

/** How long a crashed process keeps others from sending for the store. */
const STORE_LEASE_MS = 15_000
const RENEW_EVERY_MS = 5_000

/** The right to send for a store, for one process at a time: two would put twice the pool in flight (D10). */
export interface StoreLease {
  /** Renews the lease if needed and returns whether this process holds it. Call before each send. */
  hold(): Promise<boolean>
  end(): Promise<void>
}

/**
 * Returns null while another process holds the lease. Its end time identifies a lease, so no process renews or frees a
 * later one.
 */
export async function takeStoreLease(deps: Deps, store: StoreDb<Db>): Promise<StoreLease | null> {
  const ending = () => new Date(deps.now().getTime() + STORE_LEASE_MS)
  let until = ending()
  if (!(await sql.leaseStore(store, deps.now(), until))) return null
  let isOurs = true
  let renewal = Promise.resolve()
  const renewOnce = async () => {
    const next = ending()
    if (!isOurs || next.getTime() === until.getTime()) return
    isOurs = await sql.renewStore(store, until, next)
    if (isOurs) until = next
  }
  const renew = () => {
    renewal = renewal.then(renewOnce).catch((error) => deps.log.warn({ err: error }, 'lease.not-renewed'))
    return renewal
  }
  const timer = setInterval(renew, RENEW_EVERY_MS)
  return {
    async hold() {
      if (until.getTime() - deps.now().getTime() < STORE_LEASE_MS - RENEW_EVERY_MS) await renew()
      return isOurs && until > deps.now()
    },
    async end() {
      clearInterval(timer)
      await renewal
      if (isOurs) await sql.freeStore(store, until)
    },
  }
}
