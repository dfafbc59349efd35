import { LRUCache } from 'lru-cache'
import type { AccountDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'

const KNOWN_MS = 60_000

/** Loads the envelope sender of an account's mail, with a cache because every mail needs it. */
export function openBounceAddresses({
  db,
  now,
}: Pick<Deps, 'db' | 'now'>): (accountId: string) => Promise<string | null> {
  const known = new LRUCache<string, { address: string | null; until: number }>({ max: 5_000 })
  return async (accountId) => {
    const at = now().getTime()
    const last = known.get(accountId)
    if (last && at < last.until && last.until - at <= KNOWN_MS) return last.address
    const address = await readBounceAddress({ accountId, db })
    known.set(accountId, { address, until: at + KNOWN_MS })
    return address
  }
}

// SQL for the bounce address of an account's mail.

/** The envelope sender of an account's mail; null: no bounce mailbox that can be read. */
async function readBounceAddress({ db, accountId }: AccountDb): Promise<string | null> {
  const row = await db
    .selectFrom('bounce_mailboxes')
    .select('address')
    .where('account_id', '=', accountId)
    .where('problem', 'is', null)
    .executeTakeFirst()
  return row?.address ?? null
}
