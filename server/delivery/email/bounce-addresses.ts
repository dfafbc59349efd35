import type { Deps } from '../../deps.ts'
import * as sql from './bounce-address-sql.ts'

const KNOWN_MS = 60_000

/** Loads the envelope sender of an account's mail, with a cache because every mail needs it. */
export function openBounceAddresses({
  db,
  now,
}: Pick<Deps, 'db' | 'now'>): (accountId: string) => Promise<string | null> {
  const known = new Map<string, { address: string | null; until: number }>()
  return async (accountId) => {
    const at = now().getTime()
    const last = known.get(accountId)
    if (last && at < last.until && last.until - at <= KNOWN_MS) return last.address
    const address = await sql.bounceAddressOf({ accountId, db })
    if (known.size > 5_000) known.clear()
    known.set(accountId, { address, until: at + KNOWN_MS })
    return address
  }
}
