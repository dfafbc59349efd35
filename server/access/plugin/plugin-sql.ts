import type { Selectable, Updateable } from 'kysely'
import { type Db, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { PluginConnectionsTable } from '../../core/schema/public.ts'

// SQL for a store's plugin.

export type PluginRow = Selectable<PluginConnectionsTable>

export function readPlugin({ db, storeId }: StoreDb): Promise<PluginRow | undefined> {
  return db.selectFrom('plugin_connections').selectAll().where('store_id', '=', storeId).executeTakeFirst()
}

/** When a plugin connects again, the previous secret stays valid until the new one is used. */
export async function upsertPlugin(
  { db, storeId }: StoreTx,
  plugin: { encryptedSecret: Buffer; install: string; version: string; now: Date },
): Promise<void> {
  await sql`
    insert into plugin_connections as p (store_id, encrypted_secret, install, version, connected_at)
    values (${storeId}, ${plugin.encryptedSecret}, ${plugin.install}, ${plugin.version}, ${plugin.now})
    on conflict (store_id) do update set encrypted_secret = excluded.encrypted_secret,
      encrypted_old_secret = case when p.ended_at is null then p.encrypted_secret end,
      install = excluded.install, highest_seq = 0, version = excluded.version, connected_at = excluded.connected_at,
      ended_at = null, called_at = null, is_reached = null, reach_code = null, reach_detail = null,
      reach_checked_at = null, unreached_since = null, test_asked = null, orders_since = null, reports_goods = null`.execute(
    db,
  )
}

export async function changePlugin(
  { db, storeId }: StoreDb,
  change: Updateable<PluginConnectionsTable>,
): Promise<void> {
  await db.updateTable('plugin_connections').set(change).where('store_id', '=', storeId).execute()
}

/** Ends the connection for good; only connecting again restores it. */
export async function endPlugin({ db, storeId }: StoreTx, now: Date): Promise<void> {
  await db
    .updateTable('plugin_connections')
    .set({ ended_at: now, encrypted_old_secret: null })
    .where('store_id', '=', storeId)
    .where('ended_at', 'is', null)
    .execute()
}

/** Written at most every few seconds. The previous secret ends with the first call that uses the new one. */
export async function noteCall({ db, storeId }: StoreDb, now: Date): Promise<void> {
  await sql`update plugin_connections set called_at = ${now}, encrypted_old_secret = null
    where store_id = ${storeId} and (encrypted_old_secret is not null
      or coalesce(called_at not between ${now}::timestamptz - interval '10 seconds' and ${now}, true))`.execute(db)
}

/** Stores the queue's highest number; a new queue starts over. */
export async function noteBatch(
  { db, storeId }: StoreDb,
  batch: { install: string; version: string; seq: number; cartAt: Date | null },
): Promise<void> {
  await sql`update plugin_connections set version = ${batch.version}, cart_at = coalesce(${batch.cartAt}::timestamptz, cart_at),
      highest_seq = case when install = ${batch.install} then greatest(highest_seq, ${batch.seq}::bigint) else ${batch.seq}::bigint end,
      install = ${batch.install}
    where store_id = ${storeId}`.execute(db)
}

/** false: the nonce was used before. */
export async function takeNonce({ db, storeId }: StoreDb, nonce: string, now: Date): Promise<boolean> {
  const { rows } = await sql`insert into plugin_nonces (store_id, nonce, used_at) values (${storeId}, ${nonce}, ${now})
    on conflict do nothing returning 1`.execute(db)
  return rows.length > 0
}

/** Deletes expired rows of all stores. */
export async function deleteExpired(
  db: Db,
  before: { nonces: Date; codes: Date; carts: Date; goods: Date },
): Promise<void> {
  await db.deleteFrom('plugin_nonces').where('used_at', '<', before.nonces).execute()
  await db.deleteFrom('plugin_codes').where('expires_at', '<', before.codes).execute()
  await db.deleteFrom('plugin_carts').where('seen_at', '<', before.carts).execute()
  await db.deleteFrom('plugin_goods').where('wanted_at', '<', before.goods).execute()
}
