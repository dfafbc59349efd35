import webPush from 'web-push'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import { newId } from '../../core/common/ids.ts'
import type { Secrets } from '../../core/common/secrets.ts'
import type { Deps } from '../../deps.ts'
import { queueWake } from '../../access/plugin/plugin.ts'
import { lockStore } from '../../access/stores/store.ts'
import * as sql from './keys-sql.ts'

// A store's key pair for web push (VAPID, RFC 8292). The private half is encrypted and never leaves the server (decisions 20 and 74).

export { countByKey, keyByPublic, keyInUse } from './keys-sql.ts'

/** How long a pair that was replaced signs on for browsers that have not been back. */
export const OLD_KEY_MS = 180 * 86_400_000

/** Bound to its store: an encrypted key moved to another row does not open. */
const contextOf = (storeId: string, id: string) => `push-key:${storeId}:${id}`

export function openPrivateKey(secrets: Secrets, key: { storeId: string; id: string; encrypted: Buffer }): string {
  return secrets.open(key.encrypted, contextOf(key.storeId, key.id))
}

/** What new messages of the store are signed with where no subscription says otherwise; null: it has none yet. */
export async function signingKey({ secrets }: Pick<Deps, 'secrets'>, store: StoreDb) {
  const key = await sql.keyInUse(store)
  if (!key) return null
  const { storeId } = store
  return { publicKey: key.public_key, privateKey: openPrivateKey(secrets, { storeId, ...key }) }
}

export type Replacement = 'moving' | 'leaked'

export interface MadeKey {
  publicKey: string
  /** Subscriptions that have to move, or have ended. */
  subscriptions: number
}

/**
 * The pair in use, made where there is none; with `replace` a new one takes its place. Two who ask at once get the same. The shop's plugin
 * hears of a new one at once: it serves the worker only where there is a pair.
 */
export async function ensureKey(deps: Deps, store: StoreDb<Db>, replace?: Replacement): Promise<MadeKey> {
  return transact(store, async (tx) => {
    await lockStore(tx)
    const known = await sql.keyInUse(tx)
    if (known && !replace) return { publicKey: known.public_key, subscriptions: 0 }
    const counts = await sql.countByKey(tx)
    const subscriptions = counts.reduce((sum, each) => sum + each.subscriptions, 0)
    const now = deps.now()
    if (replace === 'leaked') await sql.deleteKeys(tx)
    else await sql.replaceKey(tx, now, new Date(now.getTime() + OLD_KEY_MS))
    const publicKey = await makeKey(deps, tx, now)
    await queueWake(deps, tx, 'settings')
    return { publicKey, subscriptions }
  })
}

async function makeKey({ secrets }: Deps, tx: StoreTx, madeAt: Date): Promise<string> {
  const { publicKey, privateKey } = webPush.generateVAPIDKeys()
  const id = newId()
  await sql.insertKey(tx, { id, publicKey, encrypted: secrets.seal(privateKey, contextOf(tx.storeId, id)), madeAt })
  return publicKey
}

const SLICE = 100

/** Whoever never came back is lost with the old pair (decision 74). */
export async function endOldKeys(deps: Deps): Promise<void> {
  while ((await sql.deleteEnded(deps.db, deps.now(), SLICE)) === SLICE);
}
