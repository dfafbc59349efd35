import { type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'
import type { PushSubscriptionsTable } from '../../core/schema/push.ts'

// Subscriptions of shoppers' browsers: SQL and nothing else.

export type SubscriptionRow = Omit<PushSubscriptionsTable, 'store_id'>

/** A browser has one subscription; told again it is the same row. Answers its id. */
export async function keepSubscription({ db, storeId }: StoreTx, row: SubscriptionRow): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into push_subscriptions as p (store_id, id, shopper_id, key_id, endpoint_hash, encrypted, service, device_class, marks, created_at, seen_at)
    values (${storeId}, ${row.id}, ${row.shopper_id}, ${row.key_id}, ${row.endpoint_hash}, ${row.encrypted}, ${row.service},
      ${row.device_class}, ${row.marks}, ${row.created_at}, ${row.seen_at})
    on conflict (store_id, endpoint_hash) do update set shopper_id = excluded.shopper_id, marks = excluded.marks, key_id = excluded.key_id,
      -- encrypted for its own number: of two who tell of it at once the first stands
      encrypted = case when p.id = excluded.id then excluded.encrypted else p.encrypted end, seen_at = excluded.seen_at returning id`.execute(
    db,
  )
  return rows[0]!.id
}

/** By what it is called at the push service. */
export async function subscriptionBy({ db, storeId }: StoreDb, endpointHash: Buffer) {
  return db
    .selectFrom('push_subscriptions')
    .select(['id', 'shopper_id'])
    .where('store_id', '=', storeId)
    .where('endpoint_hash', '=', endpointHash)
    .executeTakeFirst()
}

/** Another address and key, of the same browser. False: it is there no more. */
export async function moveSubscription(
  { db, storeId }: StoreTx,
  row: Pick<SubscriptionRow, 'id' | 'key_id' | 'endpoint_hash' | 'encrypted' | 'service' | 'seen_at'>,
): Promise<boolean> {
  // The browser may have told of the new one by itself: then that one is it.
  await sql`delete from push_subscriptions where store_id = ${storeId} and endpoint_hash = ${row.endpoint_hash}
    and id <> ${row.id}`.execute(db)
  const { numAffectedRows } = await sql`
    update push_subscriptions set key_id = ${row.key_id}, endpoint_hash = ${row.endpoint_hash}, encrypted = ${row.encrypted},
      service = ${row.service}, seen_at = ${row.seen_at}
    where store_id = ${storeId} and id = ${row.id}`.execute(db)
  return Number(numAffectedRows ?? 0) > 0
}

/** undefined: it is there no more. */
export async function ownerOf({ db, storeId }: StoreTx, id: string) {
  return db
    .selectFrom('push_subscriptions')
    .select('shopper_id')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The browser has another cart. */
export async function giveTo(
  { db, storeId }: StoreTx,
  id: string,
  { shopperId, marks }: { shopperId: string; marks: readonly string[] },
): Promise<void> {
  await sql`update push_subscriptions set shopper_id = ${shopperId}, marks = ${[...marks]}::text[]
    where store_id = ${storeId} and id = ${id}`.execute(db)
}

/** Answers those that were there. */
export async function deleteSubscriptions({ db, storeId }: StoreTx, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    delete from push_subscriptions where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) returning id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

export async function idsOfShopper({ db, storeId }: StoreDb, shopperId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('push_subscriptions')
    .select('id')
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', shopperId)
    .orderBy('seen_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(({ id }) => id)
}

export interface WritableRow {
  id: string
  encrypted: Buffer
  key_id: string
  public_key: string
  encrypted_key: Buffer
}

/** Of the person a message is for, the newest first: those that told of its cart as it was when it left (`hasToldOf`). */
export async function subscriptionsOfMessage({ db, storeId }: StoreDb, messageId: string): Promise<WritableRow[]> {
  const { rows } = await sql<WritableRow>`
    select p.id, p.encrypted, k.id as key_id, k.public_key, k.encrypted as encrypted_key
    from messages m join push_subscriptions p on p.store_id = m.store_id and p.shopper_id = m.shopper_id
    join push_keys k on k.store_id = p.store_id and k.id = p.key_id
    where m.store_id = ${storeId} and m.id = ${messageId} and (m.cart_id is null or p.marks && m.told_by)
    order by p.seen_at desc, p.id desc limit ${MOST_BROWSERS}`.execute(db)
  return rows
}

/** Of one person: each that is gone costs a request, and anybody can say that a browser is somebody's. */
export const MOST_BROWSERS = 20

/** Whoever a notification is for, and whoever the browser it went to is now: it may have gone on to another cart since (`follow`). */
export async function peopleOfNotification({ db, storeId }: StoreTx, messageId: string): Promise<string[]> {
  const { rows } = await sql<{ shopper_id: string }>`
    select shopper_id from messages where store_id = ${storeId} and id = ${messageId}
    union
    select p.shopper_id from messages m join push_subscriptions p
      on p.store_id = m.store_id and p.id = substring(m.to_address from '^push:([0-9a-f-]{36})$')::uuid
    where m.store_id = ${storeId} and m.id = ${messageId} and m.channel = 'push'`.execute(db)
  return rows.map((row) => row.shopper_id)
}

/** It took a notification. */
export async function noteSeen({ db, storeId }: StoreDb, id: string, now: Date): Promise<void> {
  await sql`update push_subscriptions set seen_at = ${now} where store_id = ${storeId} and id = ${id}`.execute(db)
}

/** Whose cart or browser it is: a cart's token names one, a device's the one that was seen last. */
export async function shopperBy(
  { db, storeId }: StoreDb,
  { cart, device }: { cart: string; device?: string | undefined },
): Promise<{ shopper_id: string; kind: 'cart' | 'device' } | undefined> {
  const { rows } = await sql<{ shopper_id: string; kind: 'cart' | 'device' }>`
    select k.shopper_id, k.kind from shopper_keys k
    left join lateral (select max(c.last_activity_at) as at from carts c where c.store_id = k.store_id and c.shopper_id = k.shopper_id) last on true
    where k.store_id = ${storeId} and ((k.kind = 'cart' and k.value = ${cart}) or (k.kind = 'device' and k.value = ${device ?? ''}))
    order by k.kind, last.at desc nulls last limit 1`.execute(db)
  return rows[0]
}

/** Their live carts, whose messages may have waited for a subscription. */
export async function liveCartsOf({ db, storeId }: StoreTx, shopperId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('carts')
    .select('id')
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', shopperId)
    .where('status', 'in', ['active', 'abandoned'])
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Of one person. */
export async function countBrowsersOf({ db, storeId }: StoreDb, shopperId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from push_subscriptions where store_id = ${storeId} and shopper_id = ${shopperId}`.execute(
    db,
  )
  return rows[0]!.n
}

export async function countSubscribers({ db, storeId }: StoreDb): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(distinct shopper_id)::int as n from push_subscriptions where store_id = ${storeId}`.execute(db)
  return rows[0]!.n
}
