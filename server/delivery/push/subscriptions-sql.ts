import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { PushSubscriptionsTable } from '../../core/schema/public.ts'

// SQL for subscriptions of shoppers' browsers.

export type SubscriptionRow = Omit<PushSubscriptionsTable, 'store_id'>

/** Stores a browser's subscription; the same endpoint updates its row. Returns the row's id. */
export async function keepSubscription({ db, storeId }: StoreTx, row: SubscriptionRow): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into push_subscriptions as p (store_id, id, shopper_id, key_id, endpoint_hash, encrypted, service, device_class, marks, created_at, seen_at)
    values (${storeId}, ${row.id}, ${row.shopper_id}, ${row.key_id}, ${row.endpoint_hash}, ${row.encrypted}, ${row.service},
      ${row.device_class}, ${row.marks}, ${row.created_at}, ${row.seen_at})
    on conflict (store_id, endpoint_hash) do update set shopper_id = excluded.shopper_id, marks = excluded.marks, key_id = excluded.key_id,
      -- the encryption context contains the row's id, so a concurrent insert must not replace it
      encrypted = case when p.id = excluded.id then excluded.encrypted else p.encrypted end, seen_at = excluded.seen_at returning id`.execute(
    db,
  )
  return rows[0]!.id
}

/** Finds a subscription by the hash of its endpoint. */
export async function findSubscription({ db, storeId }: StoreDb, endpointHash: Buffer) {
  return db
    .selectFrom('push_subscriptions')
    .select(['id', 'shopper_id'])
    .where('store_id', '=', storeId)
    .where('endpoint_hash', '=', endpointHash)
    .executeTakeFirst()
}

/** Sets a new endpoint and key for the same browser. Returns false if the row is gone. */
export async function moveSubscription(
  { db, storeId }: StoreTx,
  row: Pick<SubscriptionRow, 'id' | 'key_id' | 'endpoint_hash' | 'encrypted' | 'service' | 'seen_at'>,
): Promise<boolean> {
  // The browser may have registered the new endpoint already; that row is replaced.
  await sql`delete from push_subscriptions where store_id = ${storeId} and endpoint_hash = ${row.endpoint_hash}
    and id <> ${row.id}`.execute(db)
  const { numAffectedRows } = await sql`
    update push_subscriptions set key_id = ${row.key_id}, endpoint_hash = ${row.endpoint_hash}, encrypted = ${row.encrypted},
      service = ${row.service}, seen_at = ${row.seen_at}
    where store_id = ${storeId} and id = ${row.id}`.execute(db)
  return Number(numAffectedRows ?? 0) > 0
}

/** undefined: the row is gone. */
export async function findOwner({ db, storeId }: StoreTx, id: string) {
  return db
    .selectFrom('push_subscriptions')
    .select('shopper_id')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Assigns the subscription to the shopper of the browser's new cart. */
export async function assignSubscription(
  { db, storeId }: StoreTx,
  id: string,
  { shopperId, marks }: { shopperId: string; marks: readonly string[] },
): Promise<void> {
  await sql`update push_subscriptions set shopper_id = ${shopperId}, marks = ${[...marks]}::text[]
    where store_id = ${storeId} and id = ${id}`.execute(db)
}

/** Returns the ids of the deleted rows. */
export async function deleteSubscriptions({ db, storeId }: StoreTx, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    delete from push_subscriptions where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) returning id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

export async function listShopperSubscriptionIds({ db, storeId }: StoreDb, shopperId: string): Promise<string[]> {
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

export interface SendableSubscription {
  id: string
  encrypted: Buffer
  key_id: string
  public_key: string
  encrypted_key: Buffer
}

/**
 * Lists the recipient's subscriptions, newest first: those that had reported the cart when the message was sent
 * (`hasReportedCart`).
 */
export async function subscriptionsOfMessage(
  { db, storeId }: StoreDb,
  messageId: string,
): Promise<SendableSubscription[]> {
  const { rows } = await sql<SendableSubscription>`
    select p.id, p.encrypted, k.id as key_id, k.public_key, k.encrypted as encrypted_key
    from messages m join push_subscriptions p on p.store_id = m.store_id and p.shopper_id = m.shopper_id
    join push_keys k on k.store_id = p.store_id and k.id = p.key_id
    where m.store_id = ${storeId} and m.id = ${messageId} and (m.cart_id is null or p.marks && m.told_by)
    order by p.seen_at desc, p.id desc limit ${MAX_BROWSERS}`.execute(db)
  return rows
}

/** Per shopper. Each dead subscription costs a request, and any visitor can register a browser for a shopper. */
export const MAX_BROWSERS = 20

/**
 * Returns the notification's shopper and the current shopper of its browser, which may have moved to another cart
 * since.
 */
export async function shoppersOfNotification({ db, storeId }: StoreTx, messageId: string): Promise<string[]> {
  const { rows } = await sql<{ shopper_id: string }>`
    select shopper_id from messages where store_id = ${storeId} and id = ${messageId}
    union
    select p.shopper_id from messages m join push_subscriptions p
      on p.store_id = m.store_id and p.id = substring(m.to_address from '^push:([0-9a-f-]{36})$')::uuid
    where m.store_id = ${storeId} and m.id = ${messageId} and m.channel = 'push'`.execute(db)
  return rows.map((row) => row.shopper_id)
}

/** Records that the browser accepted a notification. */
export async function recordVisit({ db, storeId }: StoreDb, id: string, now: Date): Promise<void> {
  await sql`update push_subscriptions set seen_at = ${now} where store_id = ${storeId} and id = ${id}`.execute(db)
}

/** Finds the shopper by cart token, else by device: then the one active last. */
export async function findShopper(
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

/** The shopper's live carts, whose messages may wait for a subscription. */
export async function listLiveCarts({ db, storeId }: StoreTx, shopperId: string): Promise<string[]> {
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

/** Counts a shopper's browsers. */
export async function countBrowsers({ db, storeId }: StoreDb, shopperId: string): Promise<number> {
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
