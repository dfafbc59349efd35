import { z } from 'zod'
import type { AccountTx, StoreDb } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError, found } from '../errors.ts'
import type { StoreClient } from '../platforms/platform.ts'
import { KEYS_UNREADABLE_WORDS } from './rules.ts'
import * as sql from './sql.ts'

// A store's keys: sealed at rest (Y5), opened only to talk to that store.

const Keys = z.object({ consumerKey: z.string(), consumerSecret: z.string() })
export type StoreKeys = z.infer<typeof Keys>

/** Bound to account and store: sealed keys moved to another row do not open. */
const contextOf = (accountId: string, storeId: string) => `store-keys:${accountId}:${storeId}`

export async function keepKeys(deps: Deps, tx: AccountTx, storeId: string, keys: StoreKeys): Promise<void> {
  const sealed = deps.secrets.seal(JSON.stringify(keys), contextOf(tx.accountId, storeId))
  await sql.saveCredentials(tx, storeId, sealed, deps.now())
}

/** The client of a connected store. Throws `conflict` when it is disconnected, `store_credentials` when the keys do not open. */
export async function storeAccess(deps: Deps, store: StoreDb): Promise<StoreClient> {
  const row = found(await sql.readAccess(store), 'Store')
  if (!row.is_active || !row.sealed) throw new AppError('conflict', 'This store is not connected.')
  const keys = openKeys(deps, row.sealed, contextOf(row.account_id, row.id))
  return deps.storeClient(row.platform, { storeUrl: row.url, homeUrl: row.home_url, ...keys })
}

function openKeys(deps: Deps, sealed: Buffer, context: string): StoreKeys {
  let plain: string
  try {
    plain = deps.secrets.open(sealed, context)
  } catch (error) {
    throw new AppError('store_credentials', KEYS_UNREADABLE_WORDS, { cause: error })
  }
  return Keys.parse(JSON.parse(plain))
}
