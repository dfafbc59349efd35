import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, sql } from '../server/core/db/db.ts'
import { rebuildRollups } from '../server/insights/analytics/rollups.ts'
import { foldRollups } from '../server/insights/analytics/rollups-sql.ts'
import { isFullRun } from './seed.ts'

// Writes a store with a year of data inside the database: shoppers, keys, facts, carts and messages, one statement
// each. For EXPLAIN tests and benchmarks that need hundreds of thousands of rows.

export interface ManyCartsOptions {
  storeId: string
  flowId: string
  /** All carts; 88 in 100 are abandoned, the others are active, purchased or emptied. */
  count: number
  now: Date
  /** Abandoned carts whose first step has been due for a minute, with two later steps. */
  ready?: number
  /** Active carts that are due to be abandoned. */
  quiet?: number
  /** Adds one fact per cart, and three messages per cart that was contacted. */
  hasPast?: boolean
  /** All carts were abandoned within four weeks instead of a year, and none was contacted. */
  isAllOpen?: boolean
  /** Shoppers from several countries; two in five are marked as mailed before, without message rows. */
  isVaried?: boolean
  /** Number of products, besides the one that is in every cart. */
  products?: number
}

const MANY = 50_000
const PRODUCTS = 900
const TABLES = ['shoppers', 'shopper_keys', 'facts', 'carts', 'cart_badges', 'mailed_shoppers', 'messages']
const READ_OFTEN = [...TABLES, 'cart_counts', 'customer_counts', 'rollups', 'rollup_days', 'rollup_changes']

export async function insertManyCarts(db: Db, options: ManyCartsOptions): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const people = await tx
      .selectFrom('carts')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    // Rebuilding indexes costs as much as the table has rows: worth it only when most rows are new, and many.
    // PostgreSQL may ignore a rebuilt index while an older transaction is open, also one in another database
    // (`indcheckxmin`): every look-up would scan the table.
    const isFresh = people.count <= options.count && options.count >= MANY
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`set local maintenance_work_mem = '512MB'`.execute(tx)
    const indexes = isFresh ? await dropIndexes(tx) : []
    await draw(tx, options)
    await insertPeople(tx, options)
    await insertCarts(tx, options)
    await insertBadges(tx, options)
    if (options.hasPast) await insertFacts(tx, options)
    if (options.hasPast || options.ready) await insertMessages(tx, options)
    await sql`update send_schedule set next_due_at = (select min(wake_at) from messages
      where store_id = ${options.storeId} and state in ('scheduled', 'held', 'claimed')) where store_id = ${options.storeId}`.execute(
      tx,
    )
    await sql`drop table drawn`.execute(tx)
    for (const definition of indexes) await sql.raw(definition).execute(tx)
  })
  // Rows that triggers would have written.
  await rebuildRollups({ storeId: options.storeId, db })
  await foldRollups(db)
  if (!isFullRun && options.count < MANY) {
    await sql`analyze ${sql.join(READ_OFTEN.map((table) => sql.table(table)))}`.execute(db)
    return
  }
  // VACUUM marks rows all-visible only when their commit is flushed to the log; this waits for the flush.
  await db.transaction().execute(async (tx) => {
    await sql`set local synchronous_commit = on`.execute(tx)
    await sql`select pg_current_xact_id()`.execute(tx)
  })
  // Outside the transaction, as VACUUM requires: index-only scans need the visibility map.
  for (const table of READ_OFTEN) await vacuumUntilVisible(db, table)
}

/**
 * Autovacuum running at the same time keeps rows from being marked; so do a few dead rows with deferred index cleanup.
 */
async function vacuumUntilVisible(db: Db, table: string): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    if (attempt > 0) await sleep(250)
    await sql`vacuum (analyze, index_cleanup on) ${sql.table(table)}`.execute(db)
    const { rows } = await sql<{ isMarked: boolean }>`
      select relallvisible = relpages as "isMarked" from pg_class where oid = ${table}::regclass`.execute(db)
    if (rows[0]!.isMarked) return
  }
}

/** Drops indexes that no constraint owns; returns the statements that recreate them. */
async function dropIndexes(db: Db): Promise<string[]> {
  const rows = await sql<{ name: string; definition: string }>`
    select i.indexname as name, i.indexdef as definition from pg_indexes i
    where i.schemaname = 'public' and i.tablename = any(${TABLES}::text[])
      and not exists (select 1 from pg_constraint c where c.conname = i.indexname)`.execute(db)
  for (const { name } of rows.rows) await sql`drop index ${sql.ref(name)}`.execute(db)
  return rows.rows.map((row) => row.definition)
}

const FIRST =
  '{Ada,Alan,Barbara,Claude,Dorothy,Edsger,Emmy,Frances,Grace,Hedy,Ida,Jean,John,Karen,Katherine,Leslie,Lynn,Margaret,Niklaus,Radia,Sophie,Tim,Vint,Whitfield}'
const LAST =
  '{Allen,Backus,Bartik,Cerf,Conway,Diffie,Dijkstra,Easley,Franklin,Germain,Goldberg,Hamilton,Holberton,Hopper,Johnson,Keller,Lamarr,Lamport,Liskov,Lovelace,McCarthy,Noether,Perlman,Rhodes,Shannon,Sparck,Turing,Vaughan,Wilson,Wirth}'

/** Half of the shoppers are in the store's country. */
const COUNTRIES = '{US,US,US,US,US,US,DE,GB,FR,AT,CA,JP}'

/** Computes values that the inserts below share. `kind` is the kind of the cart. */
async function draw(
  db: Db,
  { storeId, count, now, ready = 0, quiet = 0, isAllOpen = false, isVaried = false }: ManyCartsOptions,
): Promise<void> {
  await sql`
    create temp table drawn as
    with numbered as (
      select n, (n * 7919::bigint) % ${count}::bigint as spread,
        case when ${isAllOpen} then 'No Action' when n <= ${ready}::int then 'ready' when n <= ${ready}::int + ${quiet}::int then 'quiet'
          when n % 100 < 5 then 'active' when n % 100 < 10 then 'purchased' when n % 100 < 12 then 'emptied'
          when n % 100 < 67 then 'No Action' when n % 100 < 85 then 'Email Sent' when n % 100 < 94 then 'No Response'
          else 'Recovered' end as kind,
        (${FIRST}::text[])[1 + n % 24] as first, (${LAST}::text[])[1 + (n / 24) % 30] as last
      from generate_series(1, ${count}::int) n),
    timed as (
      select *, case kind when 'ready' then ${now}::timestamptz - interval '61 minutes'
        when 'quiet' then ${now}::timestamptz - interval '61 minutes' - n * interval '1 millisecond'
        when 'active' then ${now}::timestamptz - interval '50 minutes' + (n % 2400) * interval '1 second'
        else date_trunc('milliseconds', ${now}::timestamptz - interval '2 hours'
          - spread::float / ${count}::float * interval '1 day' * ${isAllOpen ? 28 : 365}::int) end as at
      from numbered)
    select n, kind, first, last, at, lower(first || '.' || last) || n || '@shoppers.example' as email,
      '+1' || (2120000000 + n)::text as phone, 1 + n % 3 as quantity,
      case when ${isVaried} then (${COUNTRIES}::text[])[1 + n % 12] else 'US' end as country, 900 + (spread * 37) % 24000 as price,
      ${buildIdSql('shopper', storeId)} as shopper_id, ${buildIdSql('cart', storeId)} as cart_id, ${buildIdSql('fact', storeId)} as fact_id
    from timed order by at`.execute(db)
}

/** Time-ordered like application ids, and the same on every run. */
function buildIdSql(what: string, storeId: string) {
  return sql`(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || substr(md5(${`${what}${storeId}`} || n), 1, 20))::uuid`
}

async function insertPeople(db: Db, { storeId }: ManyCartsOptions): Promise<void> {
  await sql`
    insert into shoppers (store_id, id, email, phone, first_name, last_name, country, country_source, created_at,
      first_seen_at, is_registered, account_email, company, last_login_at)
    select ${storeId}, shopper_id, email, phone, first, last, country, 'address', at, at, n % 7 < 2, case when n % 7 < 2 then email end,
      case when n % 11 = 0 then last || ' & Co' end, case when n % 7 = 0 then at + interval '1 hour' end from drawn`.execute(
    db,
  )
  await sql`
    insert into customer_counts (store_id, is_registered, day, change, is_folded)
    select ${storeId}::uuid, n % 7 < 2, (at at time zone 'utc')::date, count(*), true from drawn group by 1, 2, 3`.execute(
    db,
  )
  await sql`
    insert into shopper_keys (store_id, kind, value, shopper_id)
    select ${storeId}, k.kind, k.value, shopper_id from drawn,
      lateral (values ('email', email), ('phone', phone), ('cart', 'cart-' || md5(n::text))) k(kind, value)`.execute(db)
}

const buildItemsSql = ({ products = PRODUCTS }: ManyCartsOptions) => sql`jsonb_build_array(
  jsonb_build_object('productId', (100 + n % ${sql.lit(products)})::text, 'variationId', null,
    'name', 'Loose leaf tea, tin no. ' || n % ${sql.lit(products)}, 'sku', 'TEA-' || n % ${sql.lit(products)},
    'quantity', quantity, 'unitPriceMinor', price,
    'imageUrl', 'https://shop.example.com/wp-content/uploads/tea-' || n % ${sql.lit(products)} || '-300x300.jpg'),
  jsonb_build_object('productId', '77', 'variationId', null, 'name', 'Enamel mug', 'sku', 'MUG', 'quantity', 1,
    'unitPriceMinor', 1200, 'imageUrl', 'https://shop.example.com/wp-content/uploads/mug-300x300.jpg'))`
const CONTACT = sql`jsonb_build_object('email', email, 'phone', phone, 'firstName', first, 'lastName', last, 'country', country,
  'countrySource', 'address')`
const MILLIS = sql`(extract(epoch from at) * 1000)::bigint`

async function insertCarts(db: Db, options: ManyCartsOptions): Promise<void> {
  const { storeId, now } = options
  await sql`
    insert into carts (store_id, id, shopper_id, status, started_at, last_activity_at, abandon_at, abandoned_at, ended_at,
      recovered_at, lost_at, opening_fact_id, last_fact_at, last_fact_id, customer_name, email, phone,
      items, item_count, value_minor, currency, search, fold, created_at, country)
    select ${storeId}, cart_id, shopper_id,
      case when kind in ('active', 'quiet') then 'active' when kind in ('purchased', 'emptied') then kind
        when kind = 'Recovered' then 'recovered' when at < ${now}::timestamptz - interval '30 days' then 'lost'
        else 'abandoned' end,
      at - interval '5 minutes', at, at + interval '1 hour',
      case when kind in ('active', 'quiet') then null else at + interval '1 hour' end,
      case when kind in ('purchased', 'emptied', 'Recovered') then at + interval '90 minutes' end,
      case when kind = 'Recovered' then at + interval '90 minutes' end, at + interval '30 days',
      fact_id, at, fact_id, first || ' ' || last, email, phone, items, quantity + 1, quantity * price + 1200, 'USD',
      lower(first || ' ' || last || ' ' || email || ' ' || phone),
      jsonb_build_object('contact', contact, 'orders', '{}'::jsonb, 'episode', jsonb_build_object('status', 'open',
        'openingFactId', fact_id, 'startedAt', ${MILLIS}, 'lastActivityAt', ${MILLIS}, 'endedAt', null, 'items', items,
        'coupons', '[]'::jsonb, 'contact', contact, 'currency', 'USD', 'pending', null, 'orderId', null)), at, country
    from drawn, lateral (select ${buildItemsSql(options)} as items, ${CONTACT} as contact
      -- written once per cart, not once per mention
      offset 0) shown`.execute(db)
}

/** Writes the rows that triggers would write. */
async function insertBadges(db: Db, { storeId, isVaried = false }: ManyCartsOptions): Promise<void> {
  await sql`
    insert into cart_badges (store_id, cart_id, badge, last_sent_at, listed_at)
    select ${storeId}, cart_id, case when kind in ('Email Sent', 'No Response', 'Recovered') then kind else 'No Action' end,
      case when kind in ('Email Sent', 'No Response', 'Recovered') then at + interval '61 minutes' end, at
    from drawn where kind not in ('active', 'quiet', 'purchased', 'emptied')`.execute(db)
  await sql`
    insert into mailed_shoppers (store_id, shopper_id)
    select ${storeId}, shopper_id from drawn
    where kind in ('Email Sent', 'No Response', 'Recovered') or ${isVaried} and n % 5 < 2`.execute(db)
  await sql`
    insert into cart_counts (store_id, badge, day, change, is_folded)
    select store_id, badge, (listed_at at time zone 'utc')::date, count(*), true from cart_badges
    where store_id = ${storeId} and listed_at is not null group by 1, 2, 3`.execute(db)
}

async function insertFacts(db: Db, { storeId, products = PRODUCTS }: ManyCartsOptions): Promise<void> {
  await sql`
    insert into facts (store_id, id, shopper_id, kind, source, at, unique_key, payload, received_at)
    select ${storeId}, fact_id, shopper_id, 'snapshot', 'capture', at, 'capture:' || n, jsonb_build_object('type', 'snapshot',
      'items', jsonb_build_array(jsonb_build_object('productId', (100 + n % ${sql.lit(products)})::text, 'variationId', null, 'quantity', quantity)),
      'coupons', '[]'::jsonb, 'page', 'page-' || n, 'seq', 0), at
    from drawn`.execute(db)
}

/** Three steps per cart: scheduled for `ready` carts, finished for others. */
async function insertMessages(db: Db, { storeId, flowId, now, hasPast = false }: ManyCartsOptions): Promise<void> {
  await sql`
    insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step_id, step, channel, state, reason, due_at, expires_at, wake_at,
      to_address, subject, body_html, body_text, sending_at, finished_at, created_at, updated_at)
    select ${storeId}, (lpad(to_hex((extract(epoch from due) * 1000)::bigint), 12, '0') || substr(md5(n || ':' || step || ${storeId}), 1, 20))::uuid,
      cart_id, shopper_id, 'flow', ${flowId}::uuid,
      (select id from flow_steps f where f.store_id = ${storeId} and f.flow_id = ${flowId} and f.step = s.step), step, 'email', state, case when state = 'cancelled' then 'purchased' end,
      due, due + interval '24 hours', due, email,
      case when state = 'sent' then 'You left something in your cart' end, case when state = 'sent' then '<p>…</p>' end,
      case when state = 'sent' then '…' end, case when state = 'sent' then due end,
      case when state <> 'scheduled' then due end, at, at
    from drawn, lateral (values (1, interval '1 hour'), (2, interval '24 hours'), (3, interval '72 hours')) s(step, delay),
      lateral (select at + delay as due) d,
      lateral (select case when kind = 'ready' or due > ${now} then 'scheduled'
        when kind in ('Email Sent', 'No Response') or kind = 'Recovered' and step = 1 then 'sent' else 'cancelled' end as state) m
    where kind = 'ready' or ${hasPast} and kind in ('Email Sent', 'No Response', 'Recovered')`.execute(db)
}
