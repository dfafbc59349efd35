import { type LocaleSource, localeSources } from '../../../shared/core/locale.ts'
import { type AccountTx, type StoreTx, sql } from '../../core/db/public.ts'
import type { ShopperKey } from './rules.ts'

// SQL for shoppers.

/** Serializes transactions with the same keys until they end. Locks in one sorted statement. */
export async function lockKeys({ db, storeId }: StoreTx, keys: readonly ShopperKey[]): Promise<void> {
  const names = keys.map((key) => `${storeId}:${key.kind}:${key.value}`)
  await sql`select pg_advisory_xact_lock(h) from (
    select distinct hashtextextended(name, 0) as h from jsonb_array_elements_text(${JSON.stringify(names)}::jsonb) as name order by 1
  ) as sorted`.execute(db)
}

/** One look-up per key: the planner would turn a join into a scan of all keys. */
export async function selectKeyOwners({ db, storeId }: StoreTx, keys: readonly ShopperKey[]) {
  const rows = await sql<{ kind: ShopperKey['kind']; value: string; shopper_id: string }>`
    select wanted.kind, wanted.value, k.shopper_id
    from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as wanted(kind text, value text)
    cross join lateral (select shopper_id from shopper_keys k
      where k.store_id = ${storeId} and k.kind = wanted.kind and k.value = wanted.value and k.kind <> 'device'
      limit 1) k`.execute(db)
  return rows.rows
}

/** Addresses of known shoppers with the match key of one of these (Identity). A mailbox has few. */
export async function selectMatchedEmails({ db, storeId }: StoreTx, emails: readonly string[]) {
  const rows = await sql<{ wanted: string; known: string }>`
    select wanted, k.value as known from unnest(${[...emails]}::text[]) wanted
    cross join lateral (select value from shopper_keys k
      where k.store_id = ${storeId} and k.kind = 'email' and email_match_key(k.value) = email_match_key(wanted)
      limit 20) k`.execute(db)
  return rows.rows
}

/** Locks by id. A shopper merged meanwhile is missing from the result. */
export function lockShoppers({ db, storeId }: StoreTx, ids: readonly string[]) {
  return db
    .selectFrom('shoppers')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

export async function insertShoppers({ db, storeId }: StoreTx, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return
  await sql`insert into shoppers (store_id, id, created_at, first_seen_at)
    select ${storeId}, id, ${now}, ${now} from unnest(${[...ids]}::uuid[]) as id`.execute(db)
}

/** Clears the end of erased shoppers who return. */
export async function resumeShoppers({ db, storeId }: StoreTx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`update shoppers set ended_at = null
    where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) and ended_at is not null`.execute(db)
}

/** Inserts in one order, so that two transactions with the same devices never deadlock. */
export async function insertKeys(
  { db, storeId }: StoreTx,
  keys: readonly (ShopperKey & { shopper_id: string })[],
): Promise<void> {
  if (keys.length === 0) return
  await sql`insert into shopper_keys (store_id, kind, value, shopper_id)
    select ${storeId}, kind, value, shopper_id
    from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as news(kind text, value text, shopper_id uuid)
    order by kind, value, shopper_id
    on conflict do nothing`.execute(db)
}

/** Place among the sources, best last; 0: no locale. */
const rankLocale = (source: ReturnType<typeof sql>) =>
  sql`coalesce(array_position(${[...localeSources]}::text[], ${source}), 0)`

/** Whether the removed shopper's locale has a better source. */
const hasBetterLocale = sql`${rankLocale(sql`deleted.locale_source`)} > ${rankLocale(sql`s.locale_source`)}`

/** Moves everything of `fromId` to `toId`, one statement per table. */
export async function moveShopper({ db, storeId }: StoreTx, fromId: string, toId: string): Promise<void> {
  for (const table of [
    'facts',
    'carts',
    'touchpoints',
    'orders',
    'coupon_codes',
    'push_subscriptions',
    'assignments',
  ] as const) {
    await sql`update ${sql.table(table)} set shopper_id = ${toId} where store_id = ${storeId} and shopper_id = ${fromId}`.execute(
      db,
    )
  }
  // A message without a cart keeps its original shopper in its key (D1).
  await sql`update messages set shopper_id = ${toId},
      merged_from = case when cart_id is null then coalesce(merged_from, shopper_id) end
    where store_id = ${storeId} and shopper_id = ${fromId}`.execute(db)
  await sql`update unconfirmed_contacts u set shopper_id = ${toId} where store_id = ${storeId} and shopper_id = ${fromId}
    and not exists (select 1 from unconfirmed_contacts o where o.store_id = u.store_id and o.shopper_id = ${toId} and o.kind = u.kind and o.value = u.value)`.execute(
    db,
  )
  await sql`update shopper_keys k set shopper_id = ${toId} where store_id = ${storeId} and shopper_id = ${fromId}
    and not exists (select 1 from shopper_keys o where o.store_id = k.store_id and o.kind = k.kind and o.value = k.value and o.shopper_id = ${toId})`.execute(
    db,
  )
  await sql`with deleted as (delete from shoppers where store_id = ${storeId} and id = ${fromId} returning first_seen_at, had_contact, language, locale, locale_source)
    update shoppers s set first_seen_at = least(s.first_seen_at, deleted.first_seen_at), had_contact = s.had_contact or deleted.had_contact,
      language = coalesce(s.language, deleted.language),
      locale = case when ${hasBetterLocale} then deleted.locale else s.locale end,
      locale_source = case when ${hasBetterLocale} then deleted.locale_source else s.locale_source end
    from deleted
    where s.store_id = ${storeId} and s.id = ${toId} and (s.first_seen_at > deleted.first_seen_at or deleted.had_contact > s.had_contact
      or (s.language is null and deleted.language is not null) or ${hasBetterLocale})`.execute(db)
}

export interface ShopperContact {
  email: string | null
  phone: string | null
  first_name: string | null
  last_name: string | null
  country: string | null
  country_source: string | null
  locale: string | null
  locale_source: LocaleSource | null
}

const CONTACT = ['email', 'phone', 'first_name', 'last_name', 'country', 'country_source'] as const

/** The store's customer record fills missing contacts. The country of an erased shopper stays (C8). */
const contactOrRecord = (column: (typeof CONTACT)[number]) => {
  const isStoredContact = column.startsWith('country') ? sql`(s.is_registered or s.had_contact)` : sql`s.is_registered`
  return sql`coalesce(said.${sql.ref(column)}, case when ${isStoredContact} then s.${sql.ref(column)} end)`
}

/**
 * Updates shoppers that differ, and marks members of the store's account, who are never held out and never counted
 * (F1). `seen_at`: time of the earliest new fact.
 */
export async function updateShoppers(
  { db, storeId }: StoreTx,
  contacts: readonly (ShopperContact & { id: string; seen_at: Date | null })[],
): Promise<void> {
  if (contacts.length === 0) return
  const ids = contacts.map((contact) => contact.id)
  const values = sql.join(CONTACT.map(contactOrRecord))
  const isMember = sql`case when said.email is null and s.is_registered then s.is_member else said.is_member end`
  const firstVisit = sql`least(s.first_seen_at, said.seen_at)`
  // A language from a better source stays. Facts of the shopper's carts may be gone.
  const isNewLocale = sql`${rankLocale(sql`said.locale_source`)} >= ${rankLocale(sql`s.locale_source`)}`
  const locale = sql`case when ${isNewLocale} then said.locale else s.locale end`
  const localeSource = sql`case when ${isNewLocale} then said.locale_source else s.locale_source end`
  const columns = CONTACT.map((column) => sql.ref(column))
  await sql`
    with said as (
      select c.*, coalesce(c.email in (select lower(u.email) from members m join users u on u.id = m.user_id
        join stores r on r.account_id = m.account_id where r.id = ${storeId}), false) as is_member
      from jsonb_to_recordset(${JSON.stringify(contacts)}::jsonb) as c(id uuid, email text, phone text, first_name text,
        last_name text, country text, country_source text, locale text, locale_source text, seen_at timestamptz))
    update shoppers s set (${sql.join(columns)}, is_member, first_seen_at, locale, locale_source)
      = row(${values}, ${isMember}, ${firstVisit}, ${locale}, ${localeSource})
    from said
    where s.store_id = ${storeId} and s.id = any(${ids}::uuid[]) and s.id = said.id
      and (s.email, s.phone, s.first_name, s.last_name, s.country::text, s.country_source, s.is_member, s.first_seen_at,
        s.locale, s.locale_source) is distinct from (${values}, ${isMember}, ${firstVisit}, ${locale}, ${localeSource})`.execute(
    db,
  )
}

/** Locks by id as everywhere. Each store's own index finds the addresses. */
export async function markMembers({ db, accountId }: AccountTx, emails: readonly string[]): Promise<void> {
  await sql`
    with locked as materialized (
      select s.store_id, s.id, s.email from shoppers s
      where s.store_id in (select id from stores where account_id = ${accountId}) and s.email = any(${[...emails]}::text[])
      order by s.id for no key update),
    said as (
      select l.store_id, l.id, l.email in (select lower(u.email) from members m join users u on u.id = m.user_id
        where m.account_id = ${accountId}) as is_member
      from locked l)
    update shoppers s set is_member = said.is_member
    from said
    where s.store_id = said.store_id and s.id = said.id and s.is_member is distinct from said.is_member`.execute(db)
}

/** Serializes with all records of these shoppers. Rows that only reference a shopper do not wait. */
export async function lockShoppersById({ db, storeId }: StoreTx, shopperIds: readonly string[]): Promise<void> {
  await buildShopperLock(storeId, shopperIds).execute(db)
}

/** Its statement. */
export const buildShopperLock = (storeId: string, shopperIds: readonly string[]) =>
  sql`select 1 from shoppers where store_id = ${storeId} and id = any(${[...shopperIds]}::uuid[]) order by id for no key update`
