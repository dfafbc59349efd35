import { type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'
import type { AdmittedPost } from '../../core/schema/facts.ts'
import { consentCounts } from '../../shoppers/consent/fragments.ts'
import type { ShopperKey } from '../../shoppers/shoppers/rules.ts'
import type { KnownShopper } from './capture-rules.ts'

// Statements on capture posts and their carts.

/** All data that posts are compared with, by index of the post, in one query. Unknown carts are missing. */
export async function selectKnownCarts(
  { db, storeId }: StoreDb,
  posts: readonly { cart: string; page: string }[],
): Promise<Map<number, KnownShopper>> {
  const targets = posts.map(({ cart, page }, place) => ({ place, cart, page }))
  const rows = await sql<KnownShopper & { place: number }>`
    select w.place,
      jsonb_strip_nulls(jsonb_build_object('email', s.email, 'phone', s.phone, 'firstName', s.first_name,
        'lastName', s.last_name, 'country', s.country, 'unconfirmedEmail', ue.value, 'unconfirmedPhone', up.value)) as contact,
      jsonb_strip_nulls(jsonb_build_object('email', ue.reason, 'phone', up.reason)) as limits,
      (select jsonb_agg(jsonb_build_object('kind', o.kind, 'value', o.value)) from shopper_keys o
        where o.store_id = ${storeId} and o.shopper_id = s.id) as keys,
      (select f.payload from facts f where f.store_id = ${storeId} and f.shopper_id = s.id
        and f.kind <> 'contact' order by f.at desc, f.id desc limit 1) as "lastCart",
      (select max((f.payload ->> 'seq')::bigint) from facts f where f.store_id = ${storeId} and f.shopper_id = s.id
        and f.payload ->> 'page' = w.page) as "lastSeq"
    from jsonb_to_recordset(${JSON.stringify(targets)}::jsonb) as w(place int, cart text, page text)
    cross join lateral (select shopper_id from shopper_keys k
      where k.store_id = ${storeId} and k.kind = 'cart' and k.value = w.cart limit 1) k
    cross join lateral (select * from shoppers s where s.store_id = ${storeId} and s.id = k.shopper_id offset 0) s
    left join lateral (${lastUnconfirmed(storeId, 'email')}) ue on true
    left join lateral (${lastUnconfirmed(storeId, 'phone')}) up on true`.execute(db)
  return new Map(rows.rows.map(({ place, ...known }) => [place, known]))
}

const lastUnconfirmed = (
  storeId: string,
  kind: 'email' | 'phone',
) => sql`select u.value, u.reason from unconfirmed_contacts u
      where u.store_id = ${storeId} and u.shopper_id = s.id and u.kind = ${kind} order by u.said_at desc limit 1`

/**
 * Indexes of the withdrawals that count. Anybody can type an address, so one of these must hold: only this browser
 * reported it, the store confirmed that it is this browser's, or all its consents came from this browser.
 */
export async function selectOwnWithdrawals(
  { db, storeId }: StoreDb,
  said: readonly { place: number; channel: string; kind: string; address: string; addressHash: string }[],
  { cart, marks }: { cart: string; marks: readonly string[] },
): Promise<Set<number>> {
  const browser = [...marks]
  const ofBrowser = (list: ReturnType<typeof sql>) => sql`coalesce(${list}, '[]') ?| ${browser}::text[]`
  const byBrowser = sql`(${ofBrowser(sql`f.payload -> 'toldBy'`)} or ${ofBrowser(sql`f.payload -> 'browsers'`)}
    or starts_with(f.unique_key, ${`capture:${cart}:`}))`
  const rows = await sql<{ place: number }>`
    select w.place from jsonb_to_recordset(${JSON.stringify(said)}::jsonb) as w(place int, channel text, kind text, address text, "addressHash" text)
    cross join lateral (select k.shopper_id from shopper_keys k
      where k.store_id = ${storeId} and k.kind = w.kind and k.value = w.address limit 1) k
    cross join lateral (
      select coalesce(bool_and(${byBrowser}), false) as is_alone,
        coalesce(bool_or(f.source <> 'capture' and ${byBrowser} and f.payload -> 'contact' ->> w.kind = w.address), false) as is_told
      from facts f where f.store_id = ${storeId} and f.shopper_id = k.shopper_id and f.kind <> 'lost' offset 0) f
    cross join lateral (
      select coalesce(bool_and(${ofBrowser(sql`c.evidence -> 'browsers'`)}), false) as is_own,
        coalesce(bool_or(c.import_ids is not null or c.source in ('order', 'unpaid order')), false) as is_known
      from consents c where c.store_id = ${storeId} and c.address_hash = decode(w."addressHash", 'hex') and c.channel = w.channel
        and ${consentCounts('c')} offset 0) c
    where f.is_told or c.is_own or f.is_alone and not c.is_known and not exists (
      select 1 from shopper_keys r where r.store_id = ${storeId} and r.shopper_id = k.shopper_id and r.kind = 'customer')`.execute(
    db,
  )
  return new Set(rows.rows.map(({ place }) => place))
}

export interface InboxPost {
  id: string
  receivedAt: Date
  post: AdmittedPost
}

/** The oldest posts in the inbox, of one cart if given. */
export function selectInboxPosts({ db, storeId }: StoreDb, limit: number, cart?: string): Promise<InboxPost[]> {
  let kept = db
    .selectFrom('capture_inbox')
    .select(['id', 'received_at as receivedAt', 'post'])
    .where('store_id', '=', storeId)
  if (cart !== undefined) kept = kept.where(sql<string>`post ->> 'cart'`, '=', cart)
  return kept.orderBy('id').limit(limit).execute()
}

export async function deletePosts({ db, storeId }: StoreDb, ids: readonly string[]): Promise<void> {
  await db
    .deleteFrom('capture_inbox')
    .where('store_id', '=', storeId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute()
}

/** Product ids by variation id. Ids that are not variations are missing. */
export async function selectParents({ db, storeId }: StoreDb, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('products')
    .select(['product_id', 'variation_id'])
    .where('store_id', '=', storeId)
    .where('variation_id', '=', sql<string>`any(${[...ids]}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.variation_id, row.product_id]))
}

/** Returns those ids that are products. */
export async function selectProducts({ db, storeId }: StoreDb, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('products')
    .select('product_id')
    .distinct()
    .where('store_id', '=', storeId)
    .where('product_id', '=', sql<string>`any(${[...ids]}::text[])`)
    .execute()
  return new Set(rows.map((row) => row.product_id))
}

/** Records that the script is active, at most once a minute. */
export async function recordCaptureSeen({ db, storeId }: StoreDb, now: Date): Promise<void> {
  await sql`update stores set capture_seen_at = ${now}
    where id = ${storeId} and coalesce(capture_seen_at not between ${now}::timestamptz - interval '1 minute' and ${now}, true)`.execute(
    db,
  )
}

export async function selectOpenCarts({ db, storeId }: StoreTx, keys: readonly ShopperKey[]): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    select c.id from carts c where c.store_id = ${storeId} and c.status in ('active', 'abandoned') and c.shopper_id in (
      select k.shopper_id from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as wanted(kind text, value text)
      join shopper_keys k on k.store_id = ${storeId} and k.kind = wanted.kind and k.value = wanted.value)
    order by c.id`.execute(db)
  return rows.rows.map((row) => row.id)
}
