import { type Db, type StoreDb, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import type { StoreToken, TokenShelf } from '../../platforms/platform/access.ts'
import * as sql from './sql.ts'

// The token that is made of a store's keys: encrypted beside them (Y5), and gone with them. Whoever makes one holds the row of the keys, so
// that two processes make one.

const contextOf = (storeId: string) => `store-token:${storeId}`

/**
 * Of a store that is kept. Keys that were replaced while their token was made leave none behind: `isOfKeys` tells whether what is kept now are
 * these keys, encrypted anew or not.
 */
export function tokenShelf(
  deps: Pick<Deps, 'db' | 'secrets'>,
  storeId: string,
  isOfKeys: (encrypted: Buffer) => boolean,
): TokenShelf {
  const store: StoreDb<Db> = { storeId, db: deps.db }
  const open = (encrypted: Buffer | null): StoreToken | null => {
    if (!encrypted) return null
    try {
      return JSON.parse(deps.secrets.open(encrypted, contextOf(storeId))) as StoreToken
    } catch {
      // The secret of this server changed: a new one is made.
      return null
    }
  }
  return {
    read: async () => open(await sql.readToken(store)),
    renew: (stale, make) =>
      transact(store, async (tx) => {
        const row = await sql.lockCredentials(tx)
        const kept = open(row?.encrypted_token ?? null)
        if (kept && kept.accessToken !== stale?.accessToken) return kept
        const made = await make()
        if (row && isOfKeys(row.encrypted))
          await sql.saveToken(tx, deps.secrets.seal(JSON.stringify(made), contextOf(storeId)))
        return made
      }),
  }
}
