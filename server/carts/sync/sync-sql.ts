import type { Selectable } from 'kysely'
import { type Db, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { SyncStateTable } from '../../core/schema/public.ts'
import { countNextFailures } from './failures-sql.ts'

// SQL for sync state and local copies. A lease is identified by its start (`started_at`), so a run that outlived
// its lease cannot overwrite its successor's state.

export type Stream = SyncStateTable['stream']
export type SyncState = Selectable<SyncStateTable>

export interface Lease {
  stream: Stream
  startedAt: Date
}

export interface LeaseRequest {
  stream: Stream
  now: Date
  until: Date
  /** Require that the newest complete run is this one. Omit to accept any. */
  lastStart?: Date | null | undefined
}

const CLOCKS_DIFFER_MS = 60_000

const STREAMS: Stream[] = [
  'order_check',
  'import',
  'sweep',
  'customers',
  'products',
  'webhooks',
  'coupons',
  'checkouts',
]
/** Streams of a platform without checkouts. */
const STREAMS_EXCEPT_CHECKOUTS = STREAMS.filter((stream) => stream !== 'checkouts')

export function ensureStreams({ db, storeId }: StoreTx, hasCheckouts: boolean) {
  const streams = hasCheckouts ? STREAMS : STREAMS_EXCEPT_CHECKOUTS
  return db
    .insertInto('sync_state')
    .values(streams.map((stream) => ({ store_id: storeId, stream })))
    .onConflict((conflict) => conflict.columns(['store_id', 'stream']).doNothing())
    .execute()
}

export function readStreams({ db, storeId }: StoreDb) {
  return db.selectFrom('sync_state').selectAll().where('store_id', '=', storeId).execute()
}

/**
 * Returns undefined if another run holds the lease, or the store was deleted. A lease that ends much later than a new
 * one was set before the clock was set back, and is ignored. A small difference comes from two clocks or callers.
 */
export function takeLease({ db, storeId }: StoreDb, request: LeaseRequest) {
  const { stream, now, until, lastStart } = request
  return db
    .insertInto('sync_state')
    .columns(['store_id', 'stream', 'lease_until', 'started_at'])
    .expression((eb) =>
      eb
        .selectFrom('stores')
        .select([
          'id',
          sql<Stream>`${stream}::text`.as('stream'),
          sql<Date>`${until}::timestamptz`.as('lease_until'),
          sql<Date>`${now}::timestamptz`.as('started_at'),
        ])
        .where('id', '=', storeId),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['store_id', 'stream'])
        .doUpdateSet({ lease_until: until, started_at: now })
        .where(({ and, or, eb }) =>
          and([
            or([
              eb('sync_state.lease_until', 'is', null),
              eb('sync_state.lease_until', '<=', now),
              eb('sync_state.lease_until', '>', new Date(until.getTime() + CLOCKS_DIFFER_MS)),
            ]),
            ...(lastStart === undefined ? [] : [eb('sync_state.completed_start', 'is not distinct from', lastStart)]),
          ]),
        ),
    )
    .returningAll()
    .executeTakeFirst()
}

export interface Progress {
  watermark?: Date | null
  cursor_page?: number | null
  pending_from?: Date | null
  rows_seen?: number
  lease_until?: Date
}

/** Returns whether the lease was still ours. */
export async function saveProgress(store: StoreDb, lease: Lease, progress: Progress): Promise<boolean> {
  return (await ownRow(store, lease).set(progress).returning('stream').executeTakeFirst()) !== undefined
}

/**
 * After the clock was set back by `ms`, shifts the reads of all stores, so that they keep their age. Otherwise an old
 * read would be fresh again when the same hour returns (D3, T4).
 */
export async function shiftReadTimes(db: Db, ms: number): Promise<void> {
  await sql`update sync_state set completed_start = completed_start - ${`${ms} milliseconds`}::interval
    where completed_start is not null`.execute(db)
}

export function completeSyncJob(store: StoreDb, lease: Lease, ended: Progress & { now: Date }) {
  const { now, ...progress } = ended
  // A run that ended before it began, by the clock, proves no age.
  const start = lease.startedAt <= now ? { completed_start: lease.startedAt } : {}
  return ownRow(store, lease)
    .set({
      ...progress,
      ...start,
      cursor_page: null,
      lease_until: null,
      completed_at: now,
      error_code: null,
      error_detail: null,
      failures: 0,
    })
    .execute()
}

export function failSyncJob(
  store: StoreDb,
  lease: Lease,
  failure: { now: Date; code: string; detail: string | null; watermark?: Date },
) {
  // An error of ours must not delay the next attempt.
  const failures = failure.code === 'internal' ? {} : { failures: countNextFailures(failure.code, failure.watermark) }
  return ownRow(store, lease)
    .set(() => ({
      lease_until: null,
      failed_at: failure.now,
      ...failures,
      error_code: failure.code,
      error_detail: failure.detail?.slice(0, 500) ?? null,
      ...(failure.watermark ? { watermark: failure.watermark } : {}),
    }))
    .execute()
}

export function releaseLease(store: StoreDb, lease: Lease) {
  return ownRow(store, lease).set({ lease_until: null }).execute()
}

/** Clears failures of these kinds, so that the next attempt need not wait. */
export function clearFailures({ db, storeId }: StoreTx, codes: readonly string[]) {
  return db
    .updateTable('sync_state')
    .set({ failed_at: null, failures: 0, error_code: null, error_detail: null })
    .where('store_id', '=', storeId)
    .where('error_code', 'in', codes)
    .execute()
}

/** After a disconnect or a change of keys, ends running leases: nothing waits for them, and their result is dropped. */
export function endLeases({ db, storeId }: StoreTx) {
  return db
    .updateTable('sync_state')
    .set({ lease_until: null, started_at: null })
    .where('store_id', '=', storeId)
    .execute()
}

function ownRow({ db, storeId }: StoreDb, lease: Lease) {
  return db
    .updateTable('sync_state')
    .where('store_id', '=', storeId)
    .where('stream', '=', lease.stream)
    .where('started_at', '=', lease.startedAt)
    .where('lease_until', 'is not', null)
}

const GROWING = ['shoppers', 'shopper_keys', 'facts', 'orders', 'carts', 'cart_events']

/**
 * Analyzes small tables that have doubled in size, so each table is analyzed a few times in all, however many stores
 * are imported. Until then the planner assumes an empty table and scans all rows of the store for each lookup or
 * reference check. Autovacuum would take a minute to notice.
 */
export async function analyzeDoubled({ db }: StoreDb): Promise<void> {
  const doubled = await sql<{ name: string }>`
    select relname as name from pg_class where oid = any(${GROWING}::text[]::regclass[]) and reltuples < 10000
      and pg_relation_size(oid) > 2 * current_setting('block_size')::bigint * greatest(relpages, 1)`.execute(db)
  for (const { name } of doubled.rows) await sql`analyze ${sql.table(name)}`.execute(db)
}

/** Price of product `l` for entered price `s`. If the shop shows another price, the new one has the same tax ratio. */
const priceWithSameTax = sql`case when s.price_minor = l.entered_minor then l.price_minor
  when l.entered_minor > 0 then round(s.price_minor::numeric * l.price_minor / l.entered_minor)::bigint else s.price_minor end`

/**
 * `rows`: JSON array of product rows. A later read wins, unless it is in the future: then it was made before the clock
 * was set back. Likewise below.
 */
export async function upsertProducts({ db, storeId }: StoreDb, rows: string, readAt: Date, now: Date): Promise<void> {
  await sql`
    insert into products (store_id, product_id, variation_id, name, sku, price_minor, entered_minor, currency, image_url, permalink,
      is_available, has_open_choice, is_on_sale, stock_quantity, category_ids, modified_at, seen_at)
    select distinct on (s.product_id, s.variation_id) ${storeId}::uuid, s.product_id, s.variation_id, s.name, s.sku,
      case when s.is_shown_unknown then ${priceWithSameTax} else s.price_minor end,
      case when s.is_shown_unknown and l.entered_minor is not null then s.price_minor else s.entered_minor end,
      s.currency, s.image_url, s.permalink, s.is_available, s.has_open_choice, s.is_on_sale,
      s.stock_quantity, case when jsonb_typeof(s.category_ids) = 'array' then array(select jsonb_array_elements_text(s.category_ids)) end,
      s.modified_at,
      ${readAt}::timestamptz
    from jsonb_to_recordset(${rows}::jsonb) as s(product_id text, variation_id text, name text, sku text,
      price_minor bigint, entered_minor bigint, is_shown_unknown boolean, currency text, image_url text, permalink text, is_available boolean,
      has_open_choice boolean, is_on_sale boolean, stock_quantity integer, category_ids jsonb,
      modified_at timestamptz)
    left join products l on l.store_id = ${storeId}::uuid and l.product_id = s.product_id and l.variation_id = s.variation_id
    order by s.product_id, s.variation_id, s.modified_at desc nulls last
    on conflict (store_id, product_id, variation_id) do update set
      name = excluded.name, sku = excluded.sku, price_minor = excluded.price_minor, entered_minor = excluded.entered_minor, currency = excluded.currency,
      image_url = excluded.image_url, permalink = excluded.permalink, is_available = excluded.is_available,
      has_open_choice = excluded.has_open_choice, is_on_sale = excluded.is_on_sale,
      stock_quantity = excluded.stock_quantity, category_ids = coalesce(excluded.category_ids, products.category_ids),
      modified_at = excluded.modified_at,
      was_price_minor = case when products.price_minor <> excluded.price_minor then products.price_minor else products.was_price_minor end,
      seen_at = excluded.seen_at
    where (products.seen_at <= excluded.seen_at or products.seen_at > ${now})
  `.execute(db)
}

/** `rows`: JSON array of categories as named by products. */
export async function upsertCategories({ db, storeId }: StoreDb, rows: string, readAt: Date, now: Date): Promise<void> {
  await sql`
    insert into product_categories (store_id, category_id, name, seen_at)
    select ${storeId}, r.id, r.name, ${readAt} from jsonb_to_recordset(${rows}::jsonb) as r(id text, name text) order by r.id
    on conflict (store_id, category_id) do update set name = excluded.name, seen_at = excluded.seen_at
    where (product_categories.seen_at <= excluded.seen_at or product_categories.seen_at > ${now})`.execute(db)
}

export interface TermsRow {
  product_id: string
  variation_id: string
  is_available: boolean
  price_minor: number | null
  is_on_sale: boolean | null
  stock_quantity: number | null
}

/**
 * Updates products in our copy, in the order in which listings write them. Returns price and previous price of each.
 */
export async function updateTerms({ db, storeId }: StoreDb, terms: readonly TermsRow[]) {
  const rows = await sql<{
    product_id: string
    variation_id: string
    price_minor: number
    was_price_minor: number | null
  }>`
    with said as (
      select * from jsonb_to_recordset(${JSON.stringify(terms)}::jsonb) as r(product_id text, variation_id text,
        is_available boolean, price_minor bigint, is_on_sale boolean, stock_quantity integer)),
    locked as materialized (
      select p.product_id, p.variation_id, p.price_minor, p.entered_minor from products p join said s on s.product_id = p.product_id and s.variation_id = p.variation_id
      where p.store_id = ${storeId} order by p.product_id, p.variation_id for update of p)
    update products p set is_available = s.is_available, stock_quantity = s.stock_quantity,
      price_minor = coalesce(shown.minor, p.price_minor), is_on_sale = coalesce(s.is_on_sale, p.is_on_sale),
      entered_minor = case when p.entered_minor is not null then coalesce(s.price_minor, p.entered_minor) end,
      was_price_minor = case when shown.minor <> p.price_minor then p.price_minor else p.was_price_minor end
    from said s, locked l, lateral (select ${priceWithSameTax} as minor) shown
    where p.store_id = ${storeId} and p.product_id = l.product_id and p.variation_id = l.variation_id
      and s.product_id = p.product_id and s.variation_id = p.variation_id
    returning p.product_id, p.variation_id, p.price_minor, p.was_price_minor`.execute(db)
  return rows.rows
}

/** Only after a complete listing: products missing from it are no longer for sale. */
export function closeUnseenProducts({ db, storeId }: StoreDb, readBefore: Date) {
  return db
    .updateTable('products')
    .set({ is_available: false })
    .where('store_id', '=', storeId)
    .where('seen_at', '<', readBefore)
    .where('is_available', '=', true)
    .execute()
}

/** `rows`: JSON array of customer rows. Returns the ids of those written. */
export async function upsertCustomers(
  { db, storeId }: StoreTx,
  rows: string,
  readAt: Date,
  now: Date,
): Promise<string[]> {
  const written = await sql<{ customer_id: string }>`
    insert into customers (store_id, customer_id, email, phone, first_name, last_name, company, country, created_at,
      modified_at, last_login_at, orders_count, spent_minor, seen_at)
    select distinct on (r.customer_id) ${storeId}::uuid, r.customer_id, r.email, r.phone, r.first_name, r.last_name,
      r.company, r.country, r.created_at, r.modified_at, r.last_login_at, r.orders_count, r.spent_minor, ${readAt}::timestamptz
    from jsonb_to_recordset(${rows}::jsonb) as r(customer_id text, email text, phone text, first_name text,
      last_name text, company text, country text, created_at timestamptz, modified_at timestamptz, last_login_at timestamptz,
      orders_count integer, spent_minor bigint, hashes text[])
    where not exists (select 1 from suppressions p where p.account_id = (select account_id from stores where id = ${storeId}::uuid)
      and p.reason = 'erased' and p.address_hash = any(array(select decode(h, 'hex') from unnest(r.hashes) h)))
    -- nor after the retention period (C10), if nothing else of the customer is stored
    and (r.created_at is null or greatest(r.created_at, r.last_login_at) >= coalesce(
        (select ${readAt}::timestamptz - make_interval(days => s.retention_days) from stores s where s.id = ${storeId}::uuid), '-infinity')
      or exists (select 1 from customers c where c.store_id = ${storeId}::uuid and c.customer_id = r.customer_id)
      or exists (select 1 from shopper_keys k where k.store_id = ${storeId}::uuid
        and (k.kind = 'customer' and k.value = r.customer_id or k.kind = 'email' and k.value = lower(r.email))))
    order by r.customer_id, r.modified_at desc nulls last
    on conflict (store_id, customer_id) do update set
      email = excluded.email, phone = excluded.phone, first_name = excluded.first_name, last_name = excluded.last_name,
      company = excluded.company, country = excluded.country, created_at = excluded.created_at,
      modified_at = excluded.modified_at, last_login_at = excluded.last_login_at,
      orders_count = excluded.orders_count, spent_minor = excluded.spent_minor, seen_at = excluded.seen_at
    where (customers.seen_at <= excluded.seen_at or customers.seen_at > ${now})
    returning customer_id
  `.execute(db)
  return written.rows.map((row) => row.customer_id)
}

export async function countLocalCopies({ db, storeId }: StoreDb) {
  const counted = await sql<{ orders: number; customers: number; products: number }>`
    select (select count(*) from orders where store_id = ${storeId}::uuid) as orders,
      (select count(*) from customers where store_id = ${storeId}::uuid) as customers,
      (select count(*) from products where store_id = ${storeId}::uuid) as products
  `.execute(db)
  return counted.rows[0]!
}

export interface DueTimes {
  now: Date
  /** No lease taken by now ends later. */
  lease: Date
  /** Sweeps that began before this are due; failed ones before `retry`. An interrupted import is due at once. */
  sweep: Date
  retry: Date
  /** The same for webhooks. */
  daily: Date
  hourly: Date
}

/**
 * Finds due reads of all connected stores. A sweep whose process died left its lease. A start in the future, or a lease
 * that ends later than a new one, was written before the clock was set back. Neither may block a store for a day.
 */
export async function selectDueStreams(db: Db, due: DueTimes) {
  const found = await sql<{ store_id: string; needs_import: boolean; needs_sync: boolean; needs_webhooks: boolean }>`
    select * from (
      select s.id as store_id,
        i.completed_at is null and coalesce(i.lease_until not between ${due.now} and ${due.lease}, true)
          and (i.error_code is null or i.started_at <= ${due.retry} or i.started_at > ${due.now})
          and (w.error_code is null or w.started_at <= ${due.retry} or w.started_at > ${due.now}) as needs_import,
        coalesce(w.lease_until not between ${due.now} and ${due.lease}, true)
          and (coalesce(w.lease_until <= ${due.now}, false) or coalesce(w.started_at > ${due.now} or w.started_at <= case when w.error_code is null
            then ${due.sweep}::timestamptz else ${due.retry} end, true)) as needs_sync,
        coalesce(h.started_at > ${due.now} or h.started_at <= case when h.error_code is null
          then ${due.daily}::timestamptz else ${due.hourly} end, true) as needs_webhooks
      from stores s
      left join sync_state i on i.store_id = s.id and i.stream = 'import'
      left join sync_state w on w.store_id = s.id and w.stream = 'sweep'
      left join sync_state h on h.store_id = s.id and h.stream = 'webhooks'
      where s.is_active
    ) each_store where needs_import or needs_sync or needs_webhooks
  `.execute(db)
  return found.rows
}

/** Updates existing copies; the time only increases. */
export async function recordActive(
  { db, storeId }: StoreDb,
  visits: readonly { customerId: string; at: Date }[],
): Promise<void> {
  if (visits.length === 0) return
  await sql`update customers c set last_login_at = greatest(c.last_login_at, s.at)
    from (select "customerId" as id, max(at) as at
      from jsonb_to_recordset(${JSON.stringify(visits)}::jsonb) as n("customerId" text, at timestamptz) group by 1) s
    where c.store_id = ${storeId} and c.customer_id = s.id and c.last_login_at is distinct from greatest(c.last_login_at, s.at)`.execute(
    db,
  )
}
