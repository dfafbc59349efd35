import { type StoreDb, sql } from '../../core/db/db.ts'

// The way back into the store: SQL and nothing else.

/** The token is good from now on until then; pressed again, a while longer. The message it is of stays until it is written. */
export async function openWayBack(
  { db, storeId }: StoreDb,
  link: { hash: Buffer; messageId: string | null; cartId: string; isTest: boolean; at: Date; until: Date },
): Promise<void> {
  await sql`
    with message as materialized (
      select 1 from messages where store_id = ${storeId} and id = ${link.messageId} for key share)
    insert into link_tokens (token_hash, store_id, message_id, cart_id, purpose, is_test, created_at, expires_at)
    select ${link.hash}, ${storeId}, ${link.messageId}, ${link.cartId}, 'back', ${link.isTest}, ${link.at}, ${link.until}::timestamptz
    where ${link.messageId}::uuid is null or exists (select 1 from message)
    on conflict (store_id, token_hash) do update set expires_at = excluded.expires_at`.execute(db)
}

/** The cart's shopper gets this key too, whoever they are by now. */
export async function addCartKey({ db, storeId }: StoreDb, cartId: string, value: string): Promise<void> {
  await sql`
    insert into shopper_keys (store_id, kind, value, shopper_id)
    select store_id, 'cart', ${value}, shopper_id from carts where store_id = ${storeId} and id = ${cartId}
    on conflict do nothing`.execute(db)
}

export interface WayBack {
  /** Of the token, in hex. */
  hash: string
  isTest: boolean
}

/** Those of these tokens that are good now. */
export async function waysBack({ db, storeId }: StoreDb, hashes: readonly Buffer[], now: Date): Promise<WayBack[]> {
  const rows = await sql<WayBack>`
    select encode(token_hash, 'hex') as hash, is_test as "isTest" from link_tokens
    where token_hash = any(${[...hashes]}::bytea[]) and store_id = ${storeId} and purpose = 'back' and expires_at > ${now}`.execute(
    db,
  )
  return rows.rows
}
