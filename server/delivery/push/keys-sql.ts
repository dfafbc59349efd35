import { type Db, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'

// SQL for the stores' key pairs.

/** The key pair for new subscriptions. */
export function findCurrentKey({ db, storeId }: StoreDb) {
  return db
    .selectFrom('push_keys')
    .select(['id', 'public_key', 'encrypted', 'made_at'])
    .where('store_id', '=', storeId)
    .where('replaced_at', 'is', null)
    .executeTakeFirst()
}

/** Finds a key pair by its public key. Expired pairs have no row. */
export function findKeyByPublic({ db, storeId }: StoreDb, publicKey: string) {
  return db
    .selectFrom('push_keys')
    .select(['id', 'replaced_at'])
    .where('store_id', '=', storeId)
    .where('public_key', '=', publicKey)
    .executeTakeFirst()
}

export async function insertKey(
  { db, storeId }: StoreTx,
  key: { id: string; publicKey: string; encrypted: Buffer; createdAt: Date },
): Promise<void> {
  await db
    .insertInto('push_keys')
    .values({
      store_id: storeId,
      id: key.id,
      public_key: key.publicKey,
      encrypted: key.encrypted,
      made_at: key.createdAt,
    })
    .execute()
}

/** Retires the current pair. It still signs for its subscriptions until `endsAt`. */
export async function replaceKey({ db, storeId }: StoreTx, now: Date, endsAt: Date): Promise<void> {
  await sql`update push_keys set replaced_at = ${now}, ends_at = ${endsAt}
    where store_id = ${storeId} and replaced_at is null`.execute(db)
}

/** Deletes all pairs and, by cascade, their subscriptions. */
export async function deleteKeys({ db, storeId }: StoreTx): Promise<void> {
  await sql`delete from push_keys where store_id = ${storeId}`.execute(db)
}

export interface KeyCount {
  id: string
  made_at: Date
  ends_at: Date | null
  subscriptions: number
}

/** Lists the pairs with their number of subscriptions, the current one first. */
export async function countByKey({ db, storeId }: StoreDb): Promise<KeyCount[]> {
  const { rows } = await sql<KeyCount>`
    select k.id, k.made_at, k.ends_at, (select count(*)::int from push_subscriptions s
      where s.store_id = k.store_id and s.key_id = k.id) as subscriptions
    from push_keys k where k.store_id = ${storeId} order by k.ends_at desc nulls first, k.id`.execute(db)
  return rows
}

/** Deletes retired pairs of all stores that have expired or have no subscription left. Returns how many. */
export async function deleteEnded(db: Db, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from push_keys k using (
      select store_id, id from push_keys p where p.ends_at is not null and (p.ends_at <= ${now}
        or not exists (select 1 from push_subscriptions s where s.store_id = p.store_id and s.key_id = p.id))
      order by p.ends_at limit ${limit}) ended
    where k.store_id = ended.store_id and k.id = ended.id`.execute(db)
  return Number(numAffectedRows ?? 0)
}
