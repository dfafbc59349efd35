import type { ConsentEvidence } from '../../../shared/marketing/ledger.ts'
import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import { hasPaidByStore } from '../shoppers/public.ts'
import type { ConsentOverride } from './consent.ts'
import { doesConsentCount, selectOverrides } from './fragments.ts'

// SQL for consents from the shop, and on opt-in requests by SMS.

/** The newest ledger row that counts, for one address and channel. */
export async function selectLastConsent(
  { db, storeId }: StoreDb,
  addressHash: Buffer,
  channel: 'email' | 'sms' | 'whatsapp' | 'push',
) {
  return db
    .selectFrom('consents as c')
    .select(['status', 'wording', 'is_confirmed', 'at', 'evidence'])
    .where('store_id', '=', storeId)
    .where('address_hash', '=', addressHash)
    .where('channel', '=', channel)
    .where(doesConsentCount('c'))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function selectConsentTime({ db, storeId }: StoreDb, id: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('consents')
    .select('at')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.at
}

/** Returns those ids that are recorded. */
export async function selectKnownConsents({ db, storeId }: StoreDb, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('consents')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export interface ConsentTerms {
  baseCountry: string | null
  sellingCountries: string[] | null
  smsConfirmation: 'where_required' | 'page_script' | 'always'
  overrides: ConsentOverride[]
}

/** Store settings that decide who must confirm. */
export async function selectConsentTerms({ db, storeId }: StoreDb): Promise<ConsentTerms> {
  const rows = await sql<ConsentTerms>`
    select s.base_country as "baseCountry", s.selling_countries as "sellingCountries", s.sms_confirmation as "smsConfirmation",
      ${selectOverrides(sql`s.id`)} as overrides
    from stores s where s.id = ${storeId}`.execute(db)
  return rows.rows[0]!
}

/** Live carts with one of these addresses. */
export async function selectOpenCarts({ db, storeId }: StoreTx, addresses: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    select c.id from carts c where c.store_id = ${storeId} and c.status in ('active', 'abandoned') and c.shopper_id in (
      select k.shopper_id from shopper_keys k where k.store_id = ${storeId} and k.kind in ('email', 'phone')
        and k.value = any(${[...addresses]}::text[]))
    order by c.id`.execute(db)
  return rows.rows.map((row) => row.id)
}

interface OptInRequest {
  address: string
  addressHash: Buffer
  country: string | null
  now: Date
  dueAt?: Date
}

/**
 * Queues a request once. One dropped before it was sent may be queued again, and a waiting one may become due earlier.
 */
export async function queueOptInRequest({ db, storeId }: StoreTx, optInRequest: OptInRequest): Promise<void> {
  const { address, addressHash, country, now, dueAt = now } = optInRequest
  await sql`
    insert into opt_in_requests as q (store_id, channel, address_hash, phone, country, state, created_at, due_at)
    values (${storeId}, 'sms', ${addressHash}, ${address}, ${country}, 'waiting', ${now}, ${dueAt})
    on conflict (store_id, channel, address_hash) do update set state = 'waiting', phone = excluded.phone, country = excluded.country,
      created_at = case when q.state = 'waiting' then q.created_at else excluded.created_at end, due_at = excluded.due_at
      where q.state = 'dropped' or q.state = 'waiting' and q.due_at > excluded.due_at`.execute(db)
}

/** Only if there was no request before, in any state. */
export async function queueFirstOptInRequest(
  { db, storeId }: StoreTx,
  { address, addressHash, country, now }: OptInRequest,
): Promise<void> {
  await sql`
    insert into opt_in_requests (store_id, channel, address_hash, phone, country, state, created_at, due_at)
    values (${storeId}, 'sms', ${addressHash}, ${address}, ${country}, 'waiting', ${now}, ${now})
    on conflict (store_id, channel, address_hash) do nothing`.execute(db)
}

/** Drops an unsent request that is no longer needed. */
export async function dropOptInRequest({ db, storeId }: StoreTx, addressHash: Buffer): Promise<void> {
  await sql`update opt_in_requests set state = 'dropped', phone = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'waiting'`.execute(db)
}

export interface ConsentRow {
  id: string
  addressHash: Buffer
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  status: 'pending' | 'granted' | 'withdrawn'
  /** Confirmed by a reply to the SMS. */
  isConfirmed?: boolean
  source: string
  wording: string | null
  at: Date
  /** Masked, for readers of the ledger. */
  who?: string
  evidence?: ConsentEvidence
}

export async function insertConsent({ db, storeId }: StoreDb, consent: ConsentRow): Promise<void> {
  const { addressHash, evidence, isConfirmed = false, ...rest } = consent
  await db
    .insertInto('consents')
    .values({
      store_id: storeId,
      address_hash: addressHash,
      is_confirmed: isConfirmed,
      ...rest,
      ...(evidence && { evidence: JSON.stringify(evidence) }),
    })
    .execute()
}

/** Those emails and phones with which the store's customer has bought. */
export async function selectPurchaseAddresses(
  { db, storeId }: StoreDb,
  customerId: string,
  addresses: readonly string[],
): Promise<Set<string>> {
  const rows = await sql<{ address: string }>`
    select distinct a.address from unnest(${[...addresses]}::text[]) as a(address)
    join shopper_keys k on k.store_id = ${storeId} and k.kind = 'customer' and k.value = ${customerId}
    join orders o on o.store_id = k.store_id and o.shopper_id = k.shopper_id and o.purchased_at is not null and not o.is_unproven
      and o.customer_id = k.value and a.address in (lower(o.email), o.phone)`.execute(db)
  return new Set(rows.rows.map(({ address }) => address))
}

/** An address with which the customer has bought. */
export interface CustomerPurchase {
  customerId: string
  /** Hex. */
  hash: string
}

/** Unproven consents of these customers from My account for these addresses, unless withdrawn since. */
const unprovenConsents = (storeId: string, bought: readonly CustomerPurchase[]) => sql`
  from (select distinct "customerId", hash from jsonb_to_recordset(${JSON.stringify(bought)}::jsonb)
    as b("customerId" text, hash text)) b
  join consents c on c.store_id = ${storeId} and c.address_hash = decode(b.hash, 'hex') and c.status = 'granted'
    and c.evidence ->> 'unproven' = 'account page' and c.evidence ->> 'customerId' = b."customerId"
  where not exists (select 1 from consents w where w.store_id = c.store_id and w.address_hash = c.address_hash
      and w.channel = c.channel and w.status = 'withdrawn' and (w.at, w.id) > (c.at, c.id))
    and not exists (select 1 from consents p where p.store_id = c.store_id and p.id = md5(c.id::text || ' proven')::uuid)`

export async function hasUnprovenConsents(
  { db, storeId }: StoreDb,
  bought: readonly CustomerPurchase[],
): Promise<boolean> {
  const rows = await sql`select 1 ${unprovenConsents(storeId, bought)} limit 1`.execute(db)
  return rows.rows.length > 0
}

/** Adds each again, as proven, with its own time. */
export async function insertProven({ db, storeId }: StoreTx, bought: readonly CustomerPurchase[]): Promise<void> {
  await sql`insert into consents (store_id, id, address_hash, channel, status, is_confirmed, source, wording, who, evidence, at)
    select c.store_id, md5(c.id::text || ' proven')::uuid, c.address_hash, c.channel, c.status, c.is_confirmed, 'account page',
      c.wording, c.who, c.evidence - 'unproven' - 'browsers', c.at ${unprovenConsents(storeId, bought)}
    on conflict (store_id, id) do nothing`.execute(db)
}

export interface CustomerConsent {
  channel: string
  /** Hex. */
  hash: string
  /** The store's id of the customer. */
  id: string
}

/** Consents that this customer gave while signed in. `selectEvidence` decides whether they count or were confirmed. */
export async function selectCustomerConsents(
  { db, storeId }: StoreDb,
  consents: readonly CustomerConsent[],
): Promise<CustomerConsent[]> {
  if (consents.length === 0) return []
  const rows = await sql<CustomerConsent>`
    select a.channel, a.hash, a.id from jsonb_to_recordset(${JSON.stringify(consents)}::jsonb) as a(channel text, hash text, id text)
    where exists (select 1 from consents c where c.store_id = ${storeId} and c.channel = a.channel and c.status <> 'withdrawn'
      and c.address_hash = decode(a.hash, 'hex') and c.evidence ->> 'customerId' = a.id and ${doesConsentCount('c')})`.execute(
    db,
  )
  return rows.rows
}

export interface CustomerEmail {
  /** The store's id of the customer. */
  id: string
  email: string
}

/**
 * Customers who have bought in the store and have this address in an order or in their record. A signed-in customer may
 * have typed another person's address.
 */
export async function selectBuyers(
  { db, storeId }: StoreDb,
  customers: readonly CustomerEmail[],
): Promise<CustomerEmail[]> {
  if (customers.length === 0) return []
  const rows = await sql<CustomerEmail>`
    select a.id, a.email from jsonb_to_recordset(${JSON.stringify(customers)}::jsonb) as a(id text, email text)
    join shopper_keys k on k.store_id = ${storeId} and k.kind = 'customer' and k.value = a.id
    where exists (select 1 from orders o where o.store_id = k.store_id and o.shopper_id = k.shopper_id and o.purchased_at is not null and not o.is_unproven
        and o.customer_id = a.id and lower(o.email) = a.email)
      or exists (select 1 from customers c where c.store_id = k.store_id and c.customer_id = a.id and lower(c.email) = a.email)
        and (exists (select 1 from orders o where o.store_id = k.store_id and o.shopper_id = k.shopper_id and o.purchased_at is not null and not o.is_unproven)
          or ${hasPaidByStore({ storeId: sql`k.store_id`, shopperId: sql`k.shopper_id` })})`.execute(db)
  return rows.rows
}

/** Customers with a purchase, by known orders, with the phones of their orders (null if an order has none). */
export async function selectCustomersWithPurchase(
  { db, storeId }: StoreDb,
  customerIds: readonly string[],
): Promise<{ id: string; phone: string | null }[]> {
  if (customerIds.length === 0) return []
  const { rows } = await sql<{ id: string; phone: string | null }>`
    select distinct k.value as id, o.phone from shopper_keys k
    join orders o on o.store_id = k.store_id and o.shopper_id = k.shopper_id and o.customer_id = k.value
      and o.purchased_at is not null and not o.is_unproven
    where k.store_id = ${storeId} and k.kind = 'customer' and k.value = any(${[...customerIds]}::text[])`.execute(db)
  return rows
}
