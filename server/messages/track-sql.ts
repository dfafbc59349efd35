import type { ChannelName } from '../channels/channel.ts'
import { channelTraits } from '../channels/traits.ts'
import { type StoreDb, type StoreTx, sql } from '../db.ts'
import { newestHandOver } from './badge-sql.ts'

// Touches and ways out: SQL and nothing else.

export async function insertTouch(
  { db, storeId }: StoreTx,
  touch: {
    id: string
    messageId: string
    cartId: string
    kind: 'click' | 'restore'
    isHuman: boolean
    reason: string
    at: Date
  },
): Promise<string | null> {
  const rows = await sql<{ shopper_id: string }>`
    insert into touches (store_id, id, message_id, cart_id, shopper_id, kind, is_human, class_reason, at)
    select ${storeId}, ${touch.id}, m.id, m.cart_id, m.shopper_id, ${touch.kind}, ${touch.isHuman}, ${touch.reason}, ${touch.at}
    from messages m where m.store_id = ${storeId} and m.id = ${touch.messageId} returning shopper_id`.execute(db)
  return rows.rows[0]?.shopper_id ?? null
}

/** Serialises with everything recorded of the person a message went to. */
export async function lockShopperOf({ db, storeId }: StoreTx, messageId: string): Promise<string | undefined> {
  const rows = await sql<{ id: string }>`
    select s.id from messages m join shoppers s on s.store_id = m.store_id and s.id = m.shopper_id
    where m.store_id = ${storeId} and m.id = ${messageId} for no key update of s`.execute(db)
  return rows.rows[0]?.id
}

/** A human click answers: the cart no longer waits for "No Response", and an `unknown` message did arrive. */
export async function noteResponse(
  { db, storeId }: StoreTx,
  messageId: string,
  cartId: string,
  now: Date,
): Promise<void> {
  await sql`update carts set no_response_at = null,
    badge = case when badge = 'No Response'
      then coalesce((select h.badge from (${newestHandOver(sql`carts.store_id`, sql`carts.id`)}) h), 'Email Sent') else badge end
    where store_id = ${storeId} and id = ${cartId}`.execute(db)
  await sql`
    with moved as (
      update messages set state = 'sent', reason = null, updated_at = ${now}, finished_at = ${now}
      where store_id = ${storeId} and id = ${messageId} and state = 'unknown' returning id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select ${storeId}, gen_random_uuid(), id, ${now}, 'result', 'accepted', '{"evidence":"a human click"}' from moved`.execute(
    db,
  )
}

/** What seemed an answer was none: "No Response" is due again, unless a person did answer since the newest hand-over. */
export async function forgetResponse({ db, storeId }: StoreTx, cartId: string): Promise<void> {
  await sql`update carts c set no_response_at = c.last_handed_over_at + interval '24 hours'
    where c.store_id = ${storeId} and c.id = ${cartId} and c.no_response_at is null
      and c.status in ('abandoned', 'active', 'lost') and c.badge not in ('Recovered', 'No Response')
      and not exists (select from touches t join carts o on o.store_id = t.store_id and o.id = t.cart_id
        where t.store_id = c.store_id and t.shopper_id = c.shopper_id and t.is_human
          and coalesce(o.merged_into, o.id) = c.id and t.at >= c.last_handed_over_at)`.execute(db)
}

export function messageOf({ db, storeId }: StoreDb, messageId: string) {
  return db
    .selectFrom('messages as m')
    .innerJoin('stores as s', 's.id', 'm.store_id')
    .innerJoin('carts as c', (on) => on.onRef('c.store_id', '=', 'm.store_id').onRef('c.id', '=', 'm.cart_id'))
    .select([
      'm.id',
      'm.cart_id',
      'm.channel',
      'm.to_address',
      'm.handed_over_at',
      's.account_id',
      's.name as store_name',
      's.url as store_url',
      's.home_url',
      's.has_checkout_link',
      'c.merged_into',
    ])
    .where('m.store_id', '=', storeId)
    .where('m.id', '=', messageId)
    .executeTakeFirst()
}

/** What the person of a message chose to read; null: nothing yet. */
export async function languageOf({ db, storeId }: StoreDb, messageId: string): Promise<'en' | 'de' | null> {
  const row = await db
    .selectFrom('messages as m')
    .innerJoin('shoppers as p', (on) => on.onRef('p.store_id', '=', 'm.store_id').onRef('p.id', '=', 'm.shopper_id'))
    .select('p.language')
    .where('m.store_id', '=', storeId)
    .where('m.id', '=', messageId)
    .executeTakeFirst()
  return row?.language ?? null
}

export async function suppress(
  { db }: StoreTx,
  row: { accountId: string; hash: Buffer; address: string; channel: string; reason: string; source: string; at: Date },
): Promise<void> {
  await sql`insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at)
    values (${row.accountId}, ${row.hash}, ${row.channel}, ${row.address}, ${row.reason}, ${row.source}, ${row.at})
    on conflict do nothing`.execute(db)
}

/** Only the person's own unsubscribe is theirs to take back. */
export async function unsuppress({ db }: StoreTx, accountId: string, hash: Buffer, channel: string): Promise<void> {
  await sql`delete from suppressions where account_id = ${accountId} and address_hash = ${hash} and channel = ${channel}
    and reason = 'unsubscribed'`.execute(db)
}

/** The person's own "everything" becomes the same for each of these channels, so that one of them can be lifted. */
export async function splitStopAll(
  { db }: StoreTx,
  accountId: string,
  hash: Buffer,
  channels: readonly string[],
): Promise<void> {
  await sql`
    with gone as (
      delete from suppressions where account_id = ${accountId} and address_hash = ${hash} and channel = 'all'
        and reason = 'unsubscribed' returning *)
    insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at)
    select account_id, address_hash, each, address, reason, source, created_at
    from gone cross join unnest(${[...channels]}::text[]) as each
    on conflict do nothing`.execute(db)
}

export async function isUnsubscribed(
  { db }: StoreDb,
  accountId: string,
  hash: Buffer,
  channel: string,
): Promise<boolean> {
  const rows = await sql`select 1 from suppressions where account_id = ${accountId} and address_hash = ${hash}
    and channel in ('all', ${channel})`.execute(db)
  return rows.rows.length > 0
}

/** Open messages of a channel to this address, in every store of the account, are closed at once (C2). */
export async function skipOpenTo(
  { db }: Pick<StoreTx, 'db'>,
  to: { accountId: string; address: string; channel: ChannelName; now: Date; reason?: string },
): Promise<number> {
  const { accountId, address, channel, now, reason = 'suppressed_unsubscribed' } = to
  const contact = sql.ref(`c.${channelTraits[channel].contact}`)
  const rows = await sql`
    with gone as (
      update messages m set state = 'skipped', reason = ${reason}, finished_at = ${now}, updated_at = ${now},
        claim = null
      from carts c, stores s
      where s.account_id = ${accountId} and m.store_id = s.id and c.store_id = m.store_id and c.id = m.cart_id
        and ${contact} = ${address} and m.channel = ${channel} and m.state in ('scheduled', 'held', 'claimed')
      returning m.store_id, m.id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select store_id, gen_random_uuid(), id, ${now}, 'skip', ${reason}, '{}' from gone returning 1`.execute(db)
  return rows.rows.length
}
