import type { z } from 'zod'
import { isSameSecret, keepSlot, type ReleaseSlot } from '../../core/common/public.ts'
import type { Db, StoreDb, StoreTx } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { StoreClient } from '../../platforms/platform/public.ts'
import { openStoreClient } from '../stores/public.ts'
import { type WakeReason, wakeJob } from './jobs.ts'
import * as sql from './plugin-sql.ts'
import { createSignedCall, NONCE_MS, signReply } from './signature.ts'

// The plugin in a shop (docs/plugin-protocol.md): its secret, its liveness, and the call that makes it contact us
// sooner.

const DAY_MS = 86_400_000

/** Bound to the store: a secret moved to another row cannot be decrypted. */
const encryptionContext = (storeId: string) => `plugin-secret:${storeId}`

export async function saveSecret(
  deps: Pick<Deps, 'now' | 'secrets'>,
  tx: StoreTx,
  { secret, install, version }: { secret: string; install: string; version: string },
): Promise<void> {
  const encryptedSecret = deps.secrets.seal(secret, encryptionContext(tx.storeId))
  await sql.upsertPlugin(tx, { encryptedSecret, install, version, now: deps.now() })
}

/** Newest first. */
export function decryptSecrets(
  deps: Pick<Deps, 'secrets'>,
  { store_id, encrypted_secret, encrypted_old_secret }: sql.PluginRow,
): { secret: string; oldSecret: string | null } {
  const open = (encrypted: Buffer) => deps.secrets.open(encrypted, encryptionContext(store_id))
  return {
    secret: open(encrypted_secret),
    oldSecret: encrypted_old_secret && open(encrypted_old_secret),
  }
}

/** Call in the transaction that disconnects the store. Returns the function that notifies the shop after the commit. */
export async function endPlugin(
  deps: Pick<Deps, 'log' | 'now' | 'secrets'>,
  tx: StoreTx,
  client: StoreClient | null,
): Promise<() => Promise<unknown>> {
  const plugin = await sql.readPlugin(tx)
  if (!plugin || plugin.ended_at) return async () => undefined
  await sql.endPlugin(tx, deps.now())
  return async () => client && callWake(deps, plugin, client, 'disconnected')
}

/** Queues news for the shop. Does nothing for a store without a plugin. */
export async function queueWake(deps: Pick<Deps, 'jobs'>, store: StoreDb, reason: WakeReason): Promise<void> {
  const plugin = await sql.readPlugin(store)
  if (!plugin || plugin.ended_at) return
  await deps.jobs.enqueue(store.db, wakeJob, { storeId: store.storeId, reason }, store.storeId)
}

/** Job. It may fail: a shop that cannot be reached polls by itself. */
export async function wakePlugin(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets' | 'storeClient'>,
  { storeId, reason }: z.infer<typeof wakeJob.payload>,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<void> {
  const store = { storeId, db: deps.db as Db }
  const plugin = await sql.readPlugin(store)
  if (!plugin || plugin.ended_at) return
  const client = await openStoreClient(deps, store, releaseSlot).catch(() => null)
  if (client) await callWake(deps, plugin, client, reason)
}

/** Whether the shop's plugin answered with a valid signature. */
async function callWake(
  deps: Pick<Deps, 'log' | 'now' | 'secrets'>,
  plugin: sql.PluginRow,
  client: StoreClient,
  reason: WakeReason,
): Promise<boolean> {
  const { secret } = decryptSecrets(deps, plugin)
  const body = JSON.stringify({ v: 1, reason })
  const { headers, nonce } = createSignedCall(secret, 'wake', { store: plugin.store_id, body, now: deps.now() })
  const answer = await client.callPlugin({ name: 'wake', headers, body })
  const isProven =
    answer !== null && isSameSecret(answer.signature, signReply(secret, nonce, answer.status, answer.body))
  deps.log.info({ storeId: plugin.store_id, reason, status: answer?.status ?? null, isProven }, 'plugin.wake')
  return isProven
}

/** Tick. A cart without news for this long has ended in the shop as well. */
const CART_RETENTION_MS = 40 * DAY_MS

export async function deleteExpiredPluginData(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const ago = (ms: number) => new Date(deps.now().getTime() - ms)
  await sql.deleteExpired(deps.db, {
    nonces: ago(NONCE_MS),
    codes: ago(DAY_MS),
    carts: ago(CART_RETENTION_MS),
    goods: ago(DAY_MS),
  })
}
