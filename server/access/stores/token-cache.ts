import { type Db, type StoreDb, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { StoreToken, TokenCache } from '../../platforms/platform/public.ts'
import * as sql from './sql.ts'

// The access token of a store's keys: encrypted beside them (Y5), deleted with them. Creating one locks the row of the
// keys, so that two processes create one.

const encryptionContext = (storeId: string) => `store-token:${storeId}`

/**
 * For a stored store. Keys that were replaced while their token was created leave no token: `isOfKeys` tells whether
 * the stored keys are still these, re-encrypted or not.
 */
export function createTokenShelf(
  deps: Pick<Deps, 'db' | 'secrets'>,
  storeId: string,
  isOfKeys: (encrypted: Buffer) => boolean,
): TokenCache {
  const store: StoreDb<Db> = { storeId, db: deps.db }
  const open = (encrypted: Buffer | null): StoreToken | null => {
    if (!encrypted) return null
    try {
      return JSON.parse(deps.secrets.open(encrypted, encryptionContext(storeId))) as StoreToken
    } catch {
      // The server's secret changed, so a new token is created.
      return null
    }
  }
  return {
    read: async () => open(await sql.readToken(store)),
    renew: (stale, make) =>
      transact(store, async (tx) => {
        const row = await sql.lockCredentials(tx)
        const stored = open(row?.encrypted_token ?? null)
        if (stored && stored.accessToken !== stale?.accessToken) return stored
        const token = await make()
        if (row && isOfKeys(row.encrypted))
          await sql.saveToken(tx, deps.secrets.seal(JSON.stringify(token), encryptionContext(storeId)))
        return token
      }),
  }
}
