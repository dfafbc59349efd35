import {
  type AccountDb,
  type AccountTx,
  type Db,
  type StoreDb,
  type StoreTx,
  sql,
  type Tx,
} from '../server/core/db/db.ts'
import { isAccepted, isOpen } from '../server/messages/messages/fragments.ts'

// SQL that only the demo uses.

export async function findUserId(db: Db | Tx, email: string): Promise<string | undefined> {
  return (await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst())?.id
}

export function markDemo({ db, accountId }: AccountTx) {
  return db.updateTable('accounts').set({ is_demo: true }).where('id', '=', accountId).execute()
}

export function saveSender({ db, storeId }: StoreDb, sender: { name: string; postalAddress: string }) {
  return db
    .updateTable('stores')
    .set({ sender_name: sender.name, postal_address: sender.postalAddress, is_demo: true })
    .where('id', '=', storeId)
    .execute()
}

/** Deleting a store's row cascades to all its data. */
export async function deleteOtherStores({ db, accountId }: AccountDb, urls: readonly string[]): Promise<void> {
  await sql`delete from stores where account_id = ${accountId} and (url is null or url <> all (${urls}))`.execute(db)
}

/** Lists sort by connection time. Makes this store the first, which is the one a visitor sees. */
export async function sortStoreFirst({ db, accountId }: AccountDb, url: string): Promise<void> {
  await sql`update stores s set connected_at = f.connected_at - interval '1 second' from stores f
    where s.account_id = ${accountId} and f.account_id = ${accountId} and f.url = ${url} and s.id <> f.id
      and s.connected_at >= f.connected_at`.execute(db)
}

export async function deleteAccountTraces({ db, accountId }: AccountDb): Promise<void> {
  await db.deleteFrom('suppressions').where('account_id', '=', accountId).execute()
  await db.deleteFrom('plan_usage').where('account_id', '=', accountId).execute()
}

export async function hasFact({ db, storeId }: StoreDb, uniqueKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('facts')
    .select('id')
    .where('store_id', '=', storeId)
    .where('unique_key', '=', uniqueKey)
    .executeTakeFirst()
  return row !== undefined
}

export interface SellableItem {
  productId: string
  variationId: string | null
  priceMinor: number
}

/** Items that can be added to a cart: variations, and products without variations. */
export async function listSellableItems({ db, storeId }: StoreDb): Promise<SellableItem[]> {
  const rows = await sql<SellableItem>`
    select p.product_id as "productId", nullif(p.variation_id, '') as "variationId", p.price_minor as "priceMinor"
    from products p where p.store_id = ${storeId} and p.is_available and p.price_minor > 0
      and (p.variation_id <> '' or not exists (select 1 from products v where v.store_id = p.store_id
        and v.product_id = p.product_id and v.variation_id <> ''))
    order by p.product_id::bigint, p.variation_id`.execute(db)
  return rows.rows
}

/** Tables whose rows of the store other processes also write, with the column of the store's id. */
const SNAPSHOT_TABLES = {
  stores: 'id',
  send_schedule: 'store_id',
  sync_state: 'store_id',
  flows: 'store_id',
  flow_steps: 'store_id',
  flow_variants: 'store_id',
  flow_words: 'store_id',
  templates: 'store_id',
  products: 'store_id',
}

/**
 * Start empty. Today's posts of shoppers must not become part of this invisible transaction: the shopper's next post
 * would wait for its end. The plan's counters are added to the real ones at the end.
 */
const EMPTY_TABLES = ['capture_inbox', 'plan_usage'] as const

/**
 * Until `dropSnapshotTables` this connection uses copies of these rows. The replay takes half a minute. Without the
 * copies its row locks would block other writes meanwhile: saved settings, saved flows and due emails.
 */
export async function createSnapshotTables(db: Db, storeId: string): Promise<void> {
  for (const [table, key] of Object.entries(SNAPSHOT_TABLES)) {
    await createTempTable(db, table)
    await sql`insert into ${sql.table(table)} select * from ${sql.table(`public.${table}`)}
      where ${sql.ref(key)} = ${storeId}`.execute(db)
  }
  for (const table of EMPTY_TABLES) await createTempTable(db, table)
}

async function createTempTable(db: Db, table: string): Promise<void> {
  await sql`create temporary table ${sql.table(table)} (like ${sql.table(`public.${table}`)} including all) on commit drop`.execute(
    db,
  )
}

export async function dropSnapshotTables(db: Db): Promise<void> {
  await sql`insert into public.plan_usage as known (account_id, month, channel, used)
    select account_id, month, channel, used from pg_temp.plan_usage order by month, channel
    on conflict (account_id, month, channel) do update set used = known.used + excluded.used`.execute(db)
  for (const table of [...Object.keys(SNAPSHOT_TABLES), ...EMPTY_TABLES]) {
    await sql`drop table ${sql.table(`pg_temp.${table}`)}`.execute(db)
  }
}

/**
 * Keeps the order check from reading the past's orders. Otherwise it would wait until they are written, and delay
 * today's messages.
 */
export async function skipOrderCheckBefore({ db, storeId }: StoreDb, at: Date): Promise<void> {
  await sql`insert into sync_state (store_id, stream, watermark) values (${storeId}, 'order_check', ${at})
    on conflict (store_id, stream) do update set watermark = coalesce(sync_state.watermark, excluded.watermark)`.execute(
    db,
  )
}

/** Makes the flow run, and match carts, from `at` on. */
export async function setFlowStart({ db, storeId }: StoreTx, at: Date): Promise<void> {
  await db
    .updateTable('flows')
    .set({ switched_on_at: at, takes_from: at, created_at: at })
    .where('store_id', '=', storeId)
    .where('kind', '=', 'flow')
    .execute()
}

/** Keeps the account's other stores after this one in lists, which sort by connection time. */
export async function setConnectedAt({ db, storeId }: StoreTx, at: Date): Promise<void> {
  await db.updateTable('stores').set({ connected_at: at }).where('id', '=', storeId).execute()
  await sql`update stores s set connected_at = f.connected_at - interval '1 second' from stores f
    where f.id = ${storeId} and s.account_id = f.account_id and s.id <> f.id
      and s.connected_at >= f.connected_at`.execute(db)
}

/** Moves notifications about the connection to `at`, before those of the past. */
export async function backdateNotifications({ db, storeId }: StoreTx, at: Date): Promise<void> {
  const isConnectionNotice = sql`store_id = ${storeId} and type in ('store_connected', 'connection_test')`
  await sql`update pending_notifications set created_at = ${at} where ${isConnectionNotice}`.execute(db)
  await sql`update notifications set created_at = ${at} where ${isConnectionNotice}`.execute(db)
  await sql`
    update notification_clocks c set last_at = ${at} from stores s where s.id = ${storeId} and c.account_id = s.account_id`.execute(
    db,
  )
}

/** Marks the order check as complete at `at`, so that the replay does not wait for order pulls. */
export async function markOrderCheckDone({ db, storeId }: StoreDb, at: Date): Promise<void> {
  await db
    .updateTable('sync_state')
    .set({ completed_start: at, completed_at: at, started_at: at })
    .where('store_id', '=', storeId)
    .where('stream', '=', 'order_check')
    .execute()
}

/** Resumes order pulls for changes after `at`. */
export async function resumeOrderCheck({ db, storeId }: StoreTx, at: Date): Promise<void> {
  await db
    .updateTable('sync_state')
    .set({ completed_start: null, completed_at: null, started_at: null, watermark: at })
    .where('store_id', '=', storeId)
    .where('stream', '=', 'order_check')
    .execute()
}

/** Members of the store's account. */
export async function listMembers({ db, storeId }: StoreTx): Promise<string[]> {
  const rows = await sql<{ user_id: string }>`
    select m.user_id from members m join stores s on s.account_id = m.account_id where s.id = ${storeId}`.execute(db)
  return rows.rows.map((row) => row.user_id)
}

export async function findAccountId({ db, storeId }: StoreDb): Promise<string> {
  const rows = await sql<{ account_id: string }>`select account_id from stores where id = ${storeId}`.execute(db)
  return rows.rows[0]!.account_id
}

/**
 * Returns when the next urgent work is due: a reachable cart becomes abandoned, or a step is due. Carts without an
 * address are handled along with it.
 */
export async function findNextDue({ db, storeId }: StoreDb): Promise<Date | null> {
  const rows = await sql<{ at: Date | null }>`
    select least(
      (select min(abandon_at) from carts where store_id = ${storeId} and status = 'active' and email is not null),
      (select min(m.wake_at) from messages m join carts c on c.store_id = m.store_id and c.id = m.cart_id
        where m.store_id = ${storeId} and ${isOpen('m')} and c.email is not null)) as at`.execute(db)
  return rows.rows[0]?.at ?? null
}

/** The query planner needs statistics, and autovacuum does not see this transaction's rows. */
export async function analyzeTables(db: Db): Promise<void> {
  await sql`analyze facts, carts, messages, shopper_keys, shoppers, orders, decisions`.execute(db)
}

/** Like the minute job, for one store (decision 11). */
export async function markNoResponse({ db, storeId }: StoreDb, now: Date): Promise<void> {
  await sql`
    update cart_badges c set no_response_at = null,
      badge = case when c.badge = 'Recovered' or exists (select 1 from touchpoints t where t.store_id = c.store_id
        and t.cart_id = c.cart_id and t.is_human and t.at >= c.last_sent_at) then c.badge else 'No Response' end
    where c.store_id = ${storeId} and c.no_response_at <= ${now}`.execute(db)
}

/** The email that a shopper reacts to: the latest one sent to them for a step. */
export async function findSentMessage(
  { db, storeId }: StoreDb,
  email: string,
  step: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('messages')
    .select('id')
    .where('store_id', '=', storeId)
    .where('to_address', '=', email)
    .where('step', '=', step)
    .where(isAccepted('messages'))
    .orderBy('sending_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** Ids of coupons created in Recoup, by code. */
export async function listCouponIds({ db, storeId }: StoreDb): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('coupons')
    .select(['code', 'id'])
    .where('store_id', '=', storeId)
    .where('made_by', '=', 'recoup')
    .where('gone_at', 'is', null)
    .execute()
  return new Map(rows.map(({ code, id }) => [code, id]))
}

/** Sets the coupon of each flow's last step; null removes it. */
export async function setStepCoupon({ db, storeId }: StoreDb, couponId: string | null): Promise<void> {
  await sql`update flow_steps s set coupon_id = ${couponId} where s.store_id = ${storeId}
    and s.step = (select max(o.step) from flow_steps o where o.store_id = s.store_id and o.flow_id = s.flow_id)`.execute(
    db,
  )
}

/** Reserves the code of a shopper's next email of a step. createCodes() fills in the terms. */
export async function reserveCode(
  { db, storeId }: StoreDb,
  requested: { email: string; step: number; code: string; couponId: string; at: Date },
): Promise<void> {
  const { email, step, code, couponId, at } = requested
  await sql`
    insert into coupon_codes (store_id, message_id, coupon_id, shopper_id, cart_id, code, terms, expires_at, next_try_at, created_at)
    select m.store_id, m.id, ${couponId}, m.shopper_id, m.cart_id, ${code}, '', m.expires_at, ${at}, ${at}
    from messages m join carts c on c.store_id = m.store_id and c.id = m.cart_id
    where m.store_id = ${storeId} and c.email = ${email} and m.step = ${step} and ${isOpen('m')}
    order by m.due_at desc limit 1`.execute(db)
}

/** Whether a due message needs a code that does not exist yet. */
export async function isCodeDue({ db, storeId }: StoreDb, now: Date): Promise<boolean> {
  const rows = await sql`
    select 1 from messages m join flow_steps s on s.store_id = m.store_id and s.id = m.step_id and s.coupon_id is not null
    join carts c on c.store_id = m.store_id and c.id = m.cart_id and c.email is not null and c.status in ('abandoned', 'lost')
    where m.store_id = ${storeId} and ${isOpen('m')} and m.wake_at <= ${now}
      and not exists (select 1 from coupon_codes k where k.store_id = m.store_id and k.message_id = m.id and k.state = 'made')
    limit 1`.execute(db)
  return rows.rows.length > 0
}

/**
 * Marks unused codes as deleted. Removes the codes of open messages, for which new ones are created after the replay.
 */
export async function cleanUpCodes({ db, storeId }: StoreDb, now: Date): Promise<void> {
  await sql`delete from coupon_codes k using messages m where k.store_id = ${storeId} and k.used_at is null
    and m.store_id = k.store_id and m.id = k.message_id and ${isOpen('m')}`.execute(db)
  await sql`update coupon_codes set state = 'deleted', deleted_at = least(${now}::timestamptz, expires_at + interval '7 days')
    where store_id = ${storeId} and used_at is null`.execute(db)
}
