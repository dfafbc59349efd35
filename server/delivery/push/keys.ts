import webPush from 'web-push'
import { queueWake } from '../../access/plugin/public.ts'
import { lockStore } from '../../access/stores/public.ts'
import { createId, type Secrets } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './keys-sql.ts'

// A store's key pair for web push (VAPID, RFC 8292). The private key is stored encrypted and never leaves the server
// (decisions 20 and 74).

/** How long a replaced pair still signs for browsers that have not returned. */
export const OLD_KEY_MS = 180 * 86_400_000

/** Encryption context. It binds a key to its row, so that it cannot be decrypted in another one. */
const buildContext = (storeId: string, id: string) => `push-key:${storeId}:${id}`

export function openPrivateKey(secrets: Secrets, key: { storeId: string; id: string; encrypted: Buffer }): string {
  return secrets.open(key.encrypted, buildContext(key.storeId, key.id))
}

/** The store's current key pair; null: none yet. */
export async function signingKey({ secrets }: Pick<Deps, 'secrets'>, store: StoreDb) {
  const key = await sql.findCurrentKey(store)
  if (!key) return null
  const { storeId } = store
  return { publicKey: key.public_key, privateKey: openPrivateKey(secrets, { storeId, ...key }) }
}

export type Replacement = 'moving' | 'leaked'

export interface CreatedKey {
  publicKey: string
  /** Subscriptions that have to move to the new pair, or were deleted. */
  subscriptions: number
}

/**
 * Returns the current pair, creating it if missing; `replace` creates a new one. Concurrent calls get the same pair.
 * The shop's plugin is notified of a new pair at once, because it serves the service worker only if there is one.
 */
export async function ensureKey(
  deps: Pick<Deps, 'jobs' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  replace?: Replacement,
): Promise<CreatedKey> {
  return transact(store, async (tx) => {
    await lockStore(tx)
    const known = await sql.findCurrentKey(tx)
    if (known && !replace) return { publicKey: known.public_key, subscriptions: 0 }
    const counts = await sql.countByKey(tx)
    const subscriptions = counts.reduce((sum, each) => sum + each.subscriptions, 0)
    const now = deps.now()
    if (replace === 'leaked') await sql.deleteKeys(tx)
    else await sql.replaceKey(tx, now, new Date(now.getTime() + OLD_KEY_MS))
    const publicKey = await createKey(deps, tx, now)
    await queueWake(deps, tx, 'settings')
    return { publicKey, subscriptions }
  })
}

async function createKey({ secrets }: Pick<Deps, 'secrets'>, tx: StoreTx, createdAt: Date): Promise<string> {
  const { publicKey, privateKey } = webPush.generateVAPIDKeys()
  const id = createId()
  await sql.insertKey(tx, {
    id,
    publicKey,
    encrypted: secrets.seal(privateKey, buildContext(tx.storeId, id)),
    createdAt,
  })
  return publicKey
}

const SLICE = 100

/** Tick: deletes expired pairs, with the subscriptions of browsers that never returned (decision 74). */
export async function endOldKeys(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  while ((await sql.deleteEnded(deps.db, deps.now(), SLICE)) === SLICE);
}
