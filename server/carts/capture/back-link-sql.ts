import { type StoreDb, sql } from '../../core/db/public.ts'

// SQL for the link from the restore page back into the store.

/** Sets the token's expiry; using the link again extends it. Keeps the message for which it was created. */
export async function createBackLink(
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

/** Adds the key to the cart's current shopper. */
export async function addCartKey({ db, storeId }: StoreDb, cartId: string, value: string): Promise<void> {
  await sql`
    insert into shopper_keys (store_id, kind, value, shopper_id)
    select store_id, 'cart', ${value}, shopper_id from carts where store_id = ${storeId} and id = ${cartId}
    on conflict do nothing`.execute(db)
}

export interface BackLink {
  /** Hash of the token, in hex. */
  hash: string
  isTest: boolean
}

/** Returns those tokens that are valid now. */
export async function selectBackLinks(
  { db, storeId }: StoreDb,
  hashes: readonly Buffer[],
  now: Date,
): Promise<BackLink[]> {
  const rows = await sql<BackLink>`
    select encode(token_hash, 'hex') as hash, is_test as "isTest" from link_tokens
    where token_hash = any(${[...hashes]}::bytea[]) and store_id = ${storeId} and purpose = 'back' and expires_at > ${now}`.execute(
    db,
  )
  return rows.rows
}
