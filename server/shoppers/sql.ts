import { type StoreDb, type StoreTx, sql } from '../db.ts'
import type { ShopperKey } from './rules.ts'

// Shoppers: SQL and nothing else.

/** Serialises everything that concerns the same keys until the transaction ends; taken in one sorted statement. */
export async function lockKeys({ db, storeId }: StoreTx, keys: readonly ShopperKey[]): Promise<void> {
  const names = keys.map((key) => `${storeId}:${key.kind}:${key.value}`)
  await sql`select pg_advisory_xact_lock(h) from (
    select distinct hashtextextended(name, 0) as h from jsonb_array_elements_text(${JSON.stringify(names)}::jsonb) as name order by 1
  ) as sorted`.execute(db)
}

export async function keyOwners({ db, storeId }: StoreTx, keys: readonly ShopperKey[]) {
  const rows = await sql<{ kind: ShopperKey['kind']; value: string; shopper_id: string }>`
    select k.kind, k.value, k.shopper_id
    from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as wanted(kind text, value text)
    join shopper_keys k on k.store_id = ${storeId} and k.kind = wanted.kind and k.value = wanted.value`.execute(db)
  return rows.rows
}

/** Locks in id order; one that was merged away meanwhile is missing from the answer. */
export function lockShoppers({ db, storeId }: StoreTx, ids: readonly string[]) {
  return db
    .selectFrom('shoppers')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', 'in', [...ids])
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

export async function insertShopper({ db, storeId }: StoreTx, id: string, now: Date): Promise<void> {
  await db.insertInto('shoppers').values({ store_id: storeId, id, created_at: now }).execute()
}

export async function insertKeys(
  { db, storeId }: StoreTx,
  shopperId: string,
  keys: readonly ShopperKey[],
): Promise<void> {
  if (keys.length === 0) return
  await sql`insert into shopper_keys (store_id, kind, value, shopper_id)
    select ${storeId}, kind, value, ${shopperId}
    from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as news(kind text, value text)
    on conflict do nothing`.execute(db)
}

/** Everything of `fromId` becomes `toId`'s. One statement each: a store's tables are few. */
export async function moveShopper({ db, storeId }: StoreTx, fromId: string, toId: string): Promise<void> {
  for (const table of ['facts', 'carts', 'messages', 'touches', 'orders'] as const) {
    await sql`update ${sql.table(table)} set shopper_id = ${toId} where store_id = ${storeId} and shopper_id = ${fromId}`.execute(
      db,
    )
  }
  await sql`update shopper_keys k set shopper_id = ${toId} where store_id = ${storeId} and shopper_id = ${fromId}
    and not exists (select from shopper_keys o where o.store_id = k.store_id and o.kind = k.kind and o.value = k.value and o.shopper_id = ${toId})`.execute(
    db,
  )
  await db.deleteFrom('shoppers').where('store_id', '=', storeId).where('id', '=', fromId).execute()
}

export interface ShopperContact {
  email: string | null
  phone: string | null
  first_name: string | null
  last_name: string | null
  country: string | null
  country_source: string | null
}

/** People of the store's own account are marked: they are never held out and never counted (F1). */
export async function updateShopper({ db, storeId }: StoreTx, id: string, contact: ShopperContact): Promise<void> {
  const isMember = sql<boolean>`exists (select from members m join users u on u.id = m.user_id
    join stores s on s.account_id = m.account_id where s.id = ${storeId} and lower(u.email) = ${contact.email})`
  await db
    .updateTable('shoppers')
    .set({ ...contact, is_member: isMember })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute()
}

export async function keepEarlierArm({ db, storeId }: StoreTx, id: string, arm: 'treated' | 'control'): Promise<void> {
  await db
    .updateTable('shoppers')
    .set({ arm })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('arm', 'is', null)
    .execute()
}

export async function insertConsent(
  { db, storeId }: StoreDb,
  consent: {
    id: string
    addressHash: Buffer
    channel: 'email' | 'sms' | 'whatsapp' | 'push'
    status: 'granted' | 'withdrawn'
    source: string
    wording: string | null
    at: Date
  },
): Promise<void> {
  const { addressHash, ...rest } = consent
  await db
    .insertInto('consents')
    .values({ store_id: storeId, address_hash: addressHash, ...rest })
    .execute()
}
