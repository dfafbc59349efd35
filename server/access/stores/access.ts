import { isDeepStrictEqual } from 'node:util'
import { KEYS_UNREADABLE_TEXT } from '../../../shared/access/store-problems.ts'
import { AppError, type ReleaseSlot, releaseForAnswers, requireFound } from '../../core/common/public.ts'
import type { AccountTx, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { parseKeys, type StoreClient, type StoreKeys } from '../../platforms/platform/public.ts'
import { findPlatform } from '../../platforms/registry/public.ts'
import * as sql from './sql.ts'
import { createTokenShelf } from './token-cache.ts'

// A store's keys: encrypted at rest (Y5), decrypted only to call that store.

/** Bound to account and store: keys moved to another row cannot be decrypted. */
const encryptionContext = (accountId: string, storeId: string) => `store-keys:${accountId}:${storeId}`

export async function saveKeys(
  deps: Pick<Deps, 'now' | 'secrets'>,
  tx: AccountTx,
  storeId: string,
  keys: StoreKeys,
): Promise<void> {
  const encrypted = deps.secrets.seal(JSON.stringify(keys), encryptionContext(tx.accountId, storeId))
  await sql.saveCredentials(tx, storeId, encrypted, deps.now())
}

/**
 * The client of a connected store. `releaseSlot` lets a job release its worker while it waits for the store. Throws
 * `conflict` when the store is disconnected, `store_credentials` when the keys cannot be decrypted.
 */
export async function openStoreClient(
  deps: Pick<Deps, 'db' | 'secrets' | 'storeClient'>,
  store: StoreDb,
  releaseSlot?: ReleaseSlot,
): Promise<StoreClient> {
  const row = requireFound(await sql.readEncryptedKeys(store), 'Store')
  if (!row.is_active || !row.encrypted) throw new AppError('conflict', 'This store is not connected.')
  const context = encryptionContext(row.account_id, row.id)
  const keys = decryptKeys(deps, row.encrypted, context)
  const shelf = createTokenShelf(deps, row.id, (encrypted) => isSameKeys(deps, encrypted, { keys, context }))
  const client = deps.storeClient(
    { platform: row.platform, storeUrl: row.url, homeUrl: row.home_url, keys },
    { storeId: row.id, shelf },
  )
  return releaseSlot ? releaseForAnswers(client, releaseSlot) : client
}

/** Secrets that may sign deliveries, where the keys contain it: the current one, and the previous one for an hour. */
export async function readDeliverySecrets(deps: Pick<Deps, 'now' | 'secrets'>, store: StoreDb): Promise<string[]> {
  const row = await sql.readEncryptedKeys(store)
  if (!row?.is_active || !row.encrypted) return []
  const context = encryptionContext(row.account_id, row.id)
  const isPreviousGood = row.previous_encrypted && row.previous_until && row.previous_until > deps.now()
  return [row.encrypted, isPreviousGood ? row.previous_encrypted : null].flatMap((encrypted) => {
    if (!encrypted) return []
    const secret = findPlatform(row.platform).webhookSecret(decryptKeys(deps, encrypted, context))
    return secret ? [secret] : []
  })
}

export const forgetPreviousKeys = sql.forgetPreviousKeys

/** Whether the store is connected with exactly these keys; false when its keys cannot be decrypted. */
export async function isConnectedBy(deps: Pick<Deps, 'secrets'>, store: StoreDb, keys: StoreKeys): Promise<boolean> {
  const row = await sql.readEncryptedKeys(store)
  if (!row?.is_active || !row.encrypted) return false
  return isSameKeys(deps, row.encrypted, { keys, context: encryptionContext(row.account_id, row.id) })
}

/** False when the stored keys cannot be decrypted. */
function isSameKeys(
  deps: Pick<Deps, 'secrets'>,
  encrypted: Buffer,
  { keys, context }: { keys: StoreKeys; context: string },
): boolean {
  try {
    return isDeepStrictEqual(decryptKeys(deps, encrypted, context), keys)
  } catch {
    return false
  }
}

function decryptKeys(deps: Pick<Deps, 'secrets'>, encrypted: Buffer, context: string): StoreKeys {
  let plain: string
  try {
    plain = deps.secrets.open(encrypted, context)
  } catch (error) {
    throw new AppError('store_credentials', KEYS_UNREADABLE_TEXT, { cause: error })
  }
  return parseKeys(plain)
}
