import { type AccountTx, type Db, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { FactPayload, Fold } from '../../core/schema/public.ts'
import { becomesSkipped, isOpen, isSending } from '../../messages/messages/public.ts'
import type { ShopperKey } from '../../shoppers/shoppers/public.ts'
import type { StoreDataSubject } from './sql.ts'

// SQL that erases a person from a store. Sums, numbers and times stay, so that figures stay correct; identifying
// data is removed. Each returns the number of changed rows.

const anyOfIds = (values: readonly string[]) => sql`any(${[...values]}::uuid[])`

/**
 * Whether a message to them is in flight, or a file with their data is being imported. Its result would be written
 * after the erasure.
 */
export async function hasWorkInProgress({ db, storeId }: StoreTx, person: StoreDataSubject): Promise<boolean> {
  const rows = await sql<{ is_busy: boolean }>`
    select ${isSent(storeId, person)} or exists (select 1 from consent_imports where store_id = ${storeId} and state = 'running'
        and lower(content) like ${matchesAny(person.addresses)}) as is_busy`.execute(db)
  return rows.rows[0]!.is_busy
}

/** Whether a message to them is in flight. */
export async function hasMessageInFlight({ db, storeId }: StoreTx, people: StoreDataSubject): Promise<boolean> {
  const rows = await sql<{ is_busy: boolean }>`select ${isSent(storeId, people)} as is_busy`.execute(db)
  return rows.rows[0]!.is_busy
}

const isSent = (storeId: string, { messageIds }: StoreDataSubject) =>
  sql`exists (select 1 from messages where store_id = ${storeId} and id = ${anyOfIds(messageIds)} and ${isSending('messages')})`

/** Matches an address inside a text; LIKE's wildcards are escaped. */
const matchesAny = (addresses: readonly string[]) =>
  sql`any(${addresses.map((address) => `%${address.replace(/[\\%_]/g, '\\$&')}%`)}::text[])`

export async function listMergingKeys(
  { db, storeId }: StoreDb,
  person: Pick<StoreDataSubject, 'shopperIds'>,
): Promise<ShopperKey[]> {
  const rows = await sql<ShopperKey>`
    select kind, value from shopper_keys where store_id = ${storeId} and shopper_id = ${anyOfIds(person.shopperIds)}
      and kind <> 'device'`.execute(db)
  return rows.rows
}

export async function readFacts({ db, storeId }: StoreTx, person: StoreDataSubject) {
  return db
    .selectFrom('facts')
    .select(['id', 'shopper_id', 'payload'])
    .where('store_id', '=', storeId)
    .where('shopper_id', '=', sql<string>`any(${person.shopperIds}::uuid[])`)
    .orderBy('at')
    .orderBy('id')
    .execute()
}

/** Including merged carts. */
export async function readFolds({ db, storeId }: StoreTx, person: StoreDataSubject) {
  return db
    .selectFrom('carts')
    .select(['id', 'shopper_id', 'fold'])
    .where('store_id', '=', storeId)
    .where('id', '=', sql<string>`any(${person.cartIds}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** A fact's key may contain a browser id or a hash of an address, so the fact's id replaces it. */
export async function writeFacts({ db, storeId }: StoreTx, facts: readonly { id: string; payload: FactPayload }[]) {
  if (facts.length === 0) return 0
  return countChanged(
    sql`
    update facts f set payload = n.payload, unique_key = 'erased:' || f.id
    from jsonb_to_recordset(${JSON.stringify(facts)}::jsonb) as n(id uuid, payload jsonb)
    where f.store_id = ${storeId} and f.id = ${anyOfIds(facts.map((fact) => fact.id))} and f.id = n.id`.execute(db),
  )
}

/** As carts of an anonymous shopper. */
export async function writeFolds({ db, storeId }: StoreTx, carts: readonly { id: string; fold: Fold }[]) {
  if (carts.length === 0) return 0
  return countChanged(
    sql`
    update carts c set fold = n.fold, flow_choice = null, had_contact = c.had_contact or c.email is not null or c.phone is not null, customer_name = 'Guest', email = null, phone = null, search = 'guest',
      version = c.version + 1,
      items = case when jsonb_path_exists(c.items, '$[*].choices') then (select jsonb_agg(item - 'choices' order by place)
        from jsonb_array_elements(c.items) with ordinality as i(item, place)) else c.items end
    from jsonb_to_recordset(${JSON.stringify(carts)}::jsonb) as n(id uuid, fold jsonb)
    where c.store_id = ${storeId} and c.id = ${anyOfIds(carts.map((cart) => cart.id))} and c.id = n.id`.execute(db),
  )
}

export async function closeOpen({ db, storeId }: StoreTx, person: StoreDataSubject, now: Date): Promise<void> {
  await sql`
    with closed as (
      update messages set ${becomesSkipped('suppressed_erased', now)}
      where store_id = ${storeId} and id = ${anyOfIds(person.messageIds)} and ${isOpen('messages')} returning id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select ${storeId}, gen_random_uuid(), id, ${now}, 'skip', 'suppressed_erased', '{}' from closed`.execute(db)
}

/**
 * Erases table by table in lock order (ARCHITECTURE.md), in one statement, so that locks are held for one round trip
 * instead of twenty. PostgreSQL runs a part when its count is read, so the list of counts defines the order. Returns
 * rows by table.
 */
export async function eraseRows(
  { db, storeId }: StoreTx,
  person: StoreDataSubject,
  now: Date,
): Promise<Record<string, number>> {
  const { shopperIds, cartIds, messageIds, orderIds, customerIds, hashes, addresses } = person
  const ofMessage = sql`store_id = ${storeId} and message_id = ${anyOfIds(messageIds)}`
  const ofHash = sql`store_id = ${storeId} and address_hash = any(${[...hashes]}::bytea[])`
  const texts = (values: readonly string[]) => sql`any(${[...values]}::text[])`
  const changes: Record<string, ReturnType<typeof sql>> = {
    // Keeps country and customer flag, on which figures depend.
    shoppers: sql`update shoppers s set email = null, phone = null, first_name = null, last_name = null, language = null, locale = null, locale_source = null,
      is_member = false, is_registered = false, account_email = null, account_phone = null, account_first_name = null,
      account_last_name = null, company = null, last_login_at = null, ended_at = ${now},
      had_contact = s.had_contact or exists (select 1 from shopper_keys k
        where k.store_id = s.store_id and k.shopper_id = s.id and k.kind in ('email', 'phone', 'customer'))
      where s.store_id = ${storeId} and s.id = ${anyOfIds(shopperIds)}`,
    // A later refund of the order still finds its cart.
    shopper_keys: sql`delete from shopper_keys
      where store_id = ${storeId} and shopper_id = ${anyOfIds(shopperIds)} and kind <> 'order'`,
    unconfirmed_contacts: sql`delete from unconfirmed_contacts
      where store_id = ${storeId} and shopper_id = ${anyOfIds(shopperIds)}`,
    push_subscriptions: sql`delete from push_subscriptions
      where store_id = ${storeId} and shopper_id = ${anyOfIds(shopperIds)}`,
    customers: sql`delete from customers where store_id = ${storeId} and customer_id = ${texts(customerIds)}`,
    orders: sql`update orders set email = null, phone = null, customer_id = null, cart_token = null, content_hash = ''
      where store_id = ${storeId} and order_id = ${texts(orderIds)}`,
    messages: sql`update messages set to_address = null, subject = null, body_html = null, body_text = null,
      provider_id = null, provider_response = null, told_by = null, judged = null where store_id = ${storeId} and id = ${anyOfIds(messageIds)}`,
    // Deletes the codes in the store, where a code tied to an email identifies the person.
    coupon_codes: sql`update coupon_codes set is_unwanted = true, refusal = null where ${ofMessage}`,
    decisions: sql`update decisions set inputs = '{}', result_inputs = case when result is not null then '{}'::jsonb end
      where ${ofMessage} and (inputs <> '{}' or result_inputs <> '{}')`,
    manual_messages: sql`update manual_messages set to_address = null, subject = null, body = null, design = null
      where ${ofMessage}`,
    campaign_people: sql`delete from campaign_people where store_id = ${storeId} and address = ${texts(addresses)}`,
    link_tokens: sql`delete from link_tokens where ${ofMessage}`,
    mail_reports: sql`update mail_reports set words = '' where ${ofMessage}`,
    price_lookups: sql`delete from price_lookups where ${ofMessage}`,
    idempotency_keys: sql`update idempotency_keys set answer = null
      where store_id = ${storeId} and made = ${anyOfIds(messageIds)}`,
    pending_notifications: sql`delete from pending_notifications where store_id = ${storeId}
      and (data ->> 'cartId' = ${texts(cartIds)} or data ->> 'messageId' = ${texts(messageIds)})`,
    notifications: sql`delete from notifications where store_id = ${storeId}
      and (data ->> 'cartId' = ${texts(cartIds)} or data ->> 'messageId' = ${texts(messageIds)})`,
    consents: sql`update consents set who = null, evidence = null where ${ofHash}`,
    opt_in_requests: sql`update opt_in_requests set phone = null, provider_id = null,
      state = case when state = 'waiting' then 'dropped' else state end where ${ofHash}`,
  }
  const names = Object.keys(changes)
  const parts = names.map((name) => sql`${sql.ref(`${name}_changed`)} as (${changes[name]!} returning 1)`)
  const counts = names.map((name) => sql`(select count(*)::int from ${sql.ref(`${name}_changed`)}) as ${sql.ref(name)}`)
  const { rows } = await sql<Record<string, number>>`with ${sql.join(parts)} select ${sql.join(counts)}`.execute(db)
  return rows[0]!
}

/** Texts that contain an address: waiting posts, and files uploaded by the owner. */
export async function eraseFromTexts(
  { db, storeId }: StoreTx,
  { cartTokens, hashes, addresses }: StoreDataSubject,
): Promise<Record<string, number>> {
  const run = async (statement: ReturnType<typeof sql>) => countChanged(statement.execute(db))
  return {
    capture_inbox: await run(sql`delete from capture_inbox where store_id = ${storeId}
      and (post ->> 'cart' = any(${[...cartTokens]}::text[]) or lower(post::text) like ${matchesAny(addresses)})`),
    consent_import_errors: await run(sql`delete from consent_import_errors where store_id = ${storeId}
      and (address_hash = any(${[...hashes]}::bytea[])
        or exists (select 1 from unnest(cells) c(text) where lower(c.text) like ${matchesAny(addresses)}))`),
    consent_imports:
      await run(sql`update consent_imports set content = null, state = 'failed' where store_id = ${storeId}
      and state = 'uploaded' and lower(content) like ${matchesAny(addresses)}`),
  }
}

/**
 * Later events of their carts (S5) need a key, so each shopper gets a random one. Runs after their own keys are
 * deleted.
 */
export async function insertNamelessKeys({ db, storeId }: StoreTx, { shopperIds }: StoreDataSubject): Promise<void> {
  await sql`insert into shopper_keys (store_id, kind, value, shopper_id)
    select ${storeId}, 'cart', 'erased:' || id, id from unnest(${[...shopperIds]}::uuid[]) as id
    on conflict do nothing`.execute(db)
}

/** Data of the account outside its stores. */
export async function eraseOfAccount(
  { db, accountId }: AccountTx,
  { hashes, providerIds }: { hashes: readonly Buffer[]; providerIds: readonly string[] },
): Promise<Record<string, number>> {
  const ofHash = sql`account_id = ${accountId} and address_hash = any(${[...hashes]}::bytea[])`
  const run = async (statement: ReturnType<typeof sql>) => countChanged(statement.execute(db))
  return {
    suppressions: await run(
      sql`update suppressions set address = null, note = null where ${ofHash} and reason <> 'erased'`,
    ),
    suppression_removals: await run(sql`update suppression_removals set address = null where ${ofHash}`),
    inbound_messages: await run(sql`delete from inbound_messages where ${ofHash}`),
    text_windows: await run(sql`delete from text_windows where ${ofHash}`),
    operator_text_contacts: await run(sql`delete from operator_text_contacts where ${ofHash}`),
    delivery_reports: await run(sql`delete from delivery_reports
      where account_id = ${accountId} and provider_id = any(${[...providerIds]}::text[])`),
  }
}

/** The remaining record: they are never written to again (C8). */
export async function suppressErased(
  { db, accountId }: AccountTx,
  hashes: readonly Buffer[],
  by: { userId: string | null; at: Date },
): Promise<void> {
  await sql`insert into suppressions (account_id, address_hash, channel, reason, source, created_at, added_by)
    select ${accountId}, hash, 'all', 'erased', 'erasure', ${by.at}, ${by.userId} from unnest(${[...hashes]}::bytea[]) as hash
    order by hash on conflict do nothing`.execute(db)
}

export interface OpenErasure {
  id: string
  encrypted: Buffer
  stores_done: number
  counts: Record<string, number>
}

/** Locks the erasure, so that it runs once at a time; undefined if it is done. */
export async function readOpenErasure({ db, accountId }: AccountTx, id: string): Promise<OpenErasure | undefined> {
  const rows = await sql<OpenErasure>`
    select id, encrypted, stores_done, counts from person_erasures
    where account_id = ${accountId} and id = ${id} and finished_at is null for update`.execute(db)
  return rows.rows[0]
}

export async function recordProgress(
  { db, accountId }: AccountTx,
  id: string,
  progress: { storesDone: number; encrypted: Buffer; counts: Record<string, number> },
): Promise<void> {
  await sql`update person_erasures set stores_done = ${progress.storesDone}, encrypted = ${progress.encrypted},
    counts = ${JSON.stringify(progress.counts)}::jsonb where account_id = ${accountId} and id = ${id}`.execute(db)
}

export async function finishErasure(
  { db, accountId }: AccountTx,
  id: string,
  { counts, at }: { counts: Record<string, number>; at: Date },
): Promise<void> {
  await sql`update person_erasures set finished_at = ${at}, encrypted = null, stores_done = stores_total,
    counts = ${JSON.stringify(counts)}::jsonb where account_id = ${accountId} and id = ${id}`.execute(db)
}

/** In a fixed order, so that a retry continues where the first run ended. */
export async function listStoreIds({ db, accountId }: AccountTx): Promise<string[]> {
  const rows = await db.selectFrom('stores').select('id').where('account_id', '=', accountId).orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** Of all accounts: after a crash or an expired wait. */
export function listOpenErasures(db: Db, requestedBefore: Date) {
  return db
    .selectFrom('person_erasures')
    .select(['account_id', 'id'])
    .where('finished_at', 'is', null)
    .where('asked_at', '<=', requestedBefore)
    .orderBy('asked_at')
    .limit(100)
    .execute()
}

async function countChanged(result: Promise<{ numAffectedRows?: bigint }>): Promise<number> {
  return Number((await result).numAffectedRows ?? 0)
}
