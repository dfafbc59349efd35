import { type AccountDb, type AccountTx, type StoreDb, sql } from '../../core/db/public.ts'
import type { PrivacyTable } from './tables.ts'

// SQL that finds a person and reads their data.

/** A person in a store: the ids of their rows. */
export interface StoreDataSubject {
  storeId: string
  addresses: readonly string[]
  hashes: readonly Buffer[]
  shopperIds: string[]
  cartIds: string[]
  messageIds: string[]
  orderIds: string[]
  customerIds: string[]
  /** Cart tokens of their browsers. */
  cartTokens: string[]
}

/** What identifies the person in a store. */
export interface KnownBy {
  addresses: readonly string[]
  hashes: readonly Buffer[]
  /** Customer ids assigned by the shop. */
  customerIds?: readonly string[]
}

/** Rows that belong to `shopper` (id). */
const selectShoppers = (storeId: string) => sql`
  keys as materialized (
    select k.kind, k.value from shopper s join shopper_keys k on k.store_id = ${storeId} and k.shopper_id = s.id),
  cart as materialized (
    select c.id from shopper s join carts c on c.store_id = ${storeId} and c.shopper_id = s.id),
  message_of_shopper as (
    select m.id from cart c join messages m on m.store_id = ${storeId} and m.cart_id = c.id
    union select m.id from shopper s join messages m on m.store_id = ${storeId} and m.lone_shopper_id = s.id)`

/** The ids of all rows of the person in this store. */
export async function findPerson(
  { db, storeId }: StoreDb,
  { addresses, hashes, leading, customerIds = [] }: KnownBy & { leading: readonly string[] },
): Promise<StoreDataSubject> {
  const addressList = sql`${[...addresses]}::text[]`
  const leads = sql`${[...leading]}::text[]`
  const rows = await sql<Omit<StoreDataSubject, 'storeId' | 'addresses' | 'hashes'>>`
    with record as materialized (
      select customer_id as id from customers where store_id = ${storeId} and lower(email) = any(${leads})
      union select customer_id from customers where store_id = ${storeId} and phone = any(${leads})
      union select unnest(${[...customerIds]}::text[])),
    shopper as materialized (
      select shopper_id as id from shopper_keys
      where store_id = ${storeId} and kind in ('email', 'phone') and value = any(${addressList})
      union select shopper_id from unconfirmed_contacts where store_id = ${storeId} and value = any(${addressList})
      union select k.shopper_id from record r
        join shopper_keys k on k.store_id = ${storeId} and k.kind = 'customer' and k.value = r.id),
    ${selectShoppers(storeId)},
    message as (
      select id from message_of_shopper
      union select message_id from manual_messages where store_id = ${storeId} and to_address = any(${addressList}))
    select
      array(select id from shopper order by id) as "shopperIds", array(select id from cart order by id) as "cartIds",
      array(select id from message order by id) as "messageIds",
      array(select value from keys where kind = 'order') as "orderIds",
      array(select value from keys where kind = 'cart') as "cartTokens",
      array(select value from keys where kind = 'customer'
        union select id from record) as "customerIds"`.execute(db)
  return { storeId, addresses, hashes, ...rows.rows[0]! }
}

/** The same for several shoppers: rows linked only to them. */
export async function readShopperRows(
  { db, storeId }: StoreDb,
  shopperIds: readonly string[],
): Promise<Omit<StoreDataSubject, 'storeId' | 'hashes'>> {
  const rows = await sql<Omit<StoreDataSubject, 'storeId' | 'hashes'>>`
    with shopper as materialized (select unnest(${[...shopperIds]}::uuid[]) as id),
    ${selectShoppers(storeId)}
    select array(select id from shopper order by id) as "shopperIds", array(select id from cart order by id) as "cartIds",
      array(select id from message_of_shopper order by id) as "messageIds",
      array(select value from keys where kind in ('email', 'phone')) as addresses,
      array(select value from keys where kind = 'order') as "orderIds",
      array(select value from keys where kind = 'cart') as "cartTokens",
      array(select value from keys where kind = 'customer') as "customerIds"`.execute(db)
  return rows.rows[0]!
}

/** Push subscriptions, whose ids identify the consents of browsers. */
export async function listSubscriptions({ db, storeId }: StoreDb, shopperIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from push_subscriptions
    where store_id = ${storeId} and shopper_id = any(${[...shopperIds]}::uuid[]) order by id`.execute(db)
  return rows.map(({ id }) => id)
}

export type PersonRow = Record<string, unknown>

export async function readRows({ db }: StoreDb, table: PrivacyTable, person: StoreDataSubject): Promise<PersonRow[]> {
  const rows = await sql<{ row: PersonRow }>`
    select to_jsonb(t) - ${[...(table.without ?? []), 'store_id']}::text[] as row from ${sql.table(table.name)} t
    where t.store_id = ${person.storeId} and ${matchPerson(table, person)}`.execute(db)
  return rows.rows.map(({ row }) => row)
}

/** Conditions use indexes, except on tables that are nearly always empty. */
export function matchPerson({ name, by }: PrivacyTable, person: StoreDataSubject) {
  const ids = (values: readonly string[]) => sql`any(${[...values]}::uuid[])`
  const texts = (values: readonly string[]) => sql`any(${[...values]}::text[])`
  switch (by) {
    case 'shopper':
      return sql`t.id = ${ids(person.shopperIds)}`
    case 'shopper_id':
      return sql`t.shopper_id = ${ids(person.shopperIds)}`
    case 'cart_id':
      return sql`t.cart_id = ${ids(person.cartIds)}`
    case 'message_id':
      return sql`${sql.ref(name === 'messages' ? 't.id' : 't.message_id')} = ${ids(person.messageIds)}`
    case 'order_id':
      return sql`t.order_id = ${texts(person.orderIds)}`
    case 'customer':
      return sql`t.customer_id = ${texts(person.customerIds)}`
    case 'address':
      return sql`t.address = ${texts(person.addresses)}`
    case 'address_hash':
      return sql`t.address_hash = any(${[...person.hashes]}::bytea[])`
    case 'notice':
      return sql`(t.data ->> 'cartId' = ${texts(person.cartIds)} or t.data ->> 'messageId' = ${texts(person.messageIds)})`
    case 'cells':
      return sql`(t.address_hash = any(${[...person.hashes]}::bytea[]) or exists (select 1 from unnest(t.cells) c(text)
        where lower(btrim(c.text)) = ${texts(person.addresses)}))`
    case 'post':
      return sql`(t.post ->> 'cart' = ${texts(person.cartTokens)}
        or lower(btrim(t.post -> 'contact' ->> 'email')) = ${texts(person.addresses)}
        or '+' || regexp_replace(t.post -> 'contact' ->> 'phone', '\\D', '', 'g') = ${texts(person.addresses)})`
    case 'account_hash':
    case 'report':
      throw new Error(`not of a store: ${by}`)
  }
}

export async function readAccountRows(
  { db, accountId }: AccountDb,
  table: PrivacyTable,
  person: { hashes: readonly Buffer[]; providerIds: readonly string[] },
): Promise<PersonRow[]> {
  const condition =
    table.by === 'report'
      ? sql`t.provider_id = any(${[...person.providerIds]}::text[])`
      : sql`t.address_hash = any(${[...person.hashes]}::bytea[])`
  const rows = await sql<{ row: PersonRow }>`
    select to_jsonb(t) - ${[...(table.without ?? []), 'account_id']}::text[] as row from ${sql.table(table.name)} t
    where t.account_id = ${accountId} and ${condition}`.execute(db)
  return rows.rows.map(({ row }) => row)
}

/** Provider ids of the person's messages. */
export async function listProviderIds({ db, storeId }: StoreDb, messageIds: readonly string[]): Promise<string[]> {
  const rows = await sql<{ provider_id: string }>`
    select provider_id from messages where store_id = ${storeId} and id = any(${[...messageIds]}::uuid[])
      and provider_id is not null and channel in ('sms', 'whatsapp')`.execute(db)
  return rows.rows.map((row) => row.provider_id)
}

export async function insertErasure(
  { db, accountId }: AccountTx,
  row: { id: string; hash: Buffer; encrypted: Buffer; requestedBy: string | null; at: Date },
): Promise<void> {
  await sql`insert into person_erasures (account_id, id, address_hash, encrypted, asked_by, asked_at, stores_total)
    select ${accountId}, ${row.id}, ${row.hash}, ${row.encrypted}, ${row.requestedBy}, ${row.at}, count(*)
    from stores where account_id = ${accountId}`.execute(db)
}
