import { type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'

// SQL for double opt-in requests by SMS.

export interface OptInRequest {
  addressHash: Buffer
  /** E.164. */
  phone: string
  country: string | null
  createdAt: Date
}

/** Lists due requests, oldest first. */
export async function dueOptInRequests({ db, storeId }: StoreDb, now: Date, limit: number): Promise<OptInRequest[]> {
  const rows = await sql<OptInRequest>`
    select address_hash as "addressHash", phone, country, created_at as "createdAt" from opt_in_requests
    where store_id = ${storeId} and channel = 'sms' and state = 'waiting' and due_at <= ${now} and phone is not null
    order by due_at limit ${limit}`.execute(db)
  return rows.rows
}

/** Whether an order with this number exists. */
export async function hasBoughtWith({ db, storeId }: StoreDb, phone: string): Promise<boolean> {
  const rows = await sql<{ hasBought: boolean }>`
    select exists (select 1 from shopper_keys k join facts f on f.store_id = k.store_id and f.shopper_id = k.shopper_id
      where k.store_id = ${storeId} and k.kind = 'phone' and k.value = ${phone} and f.kind = 'order'
        and f.payload ->> 'orderKind' = 'purchase' and f.payload #>> '{contact,phone}' = ${phone}) as "hasBought"`.execute(
    db,
  )
  return rows.rows[0]!.hasBought
}

/** Returns false if another process has taken it. */
export async function takeOptInRequest(
  { db, storeId }: StoreTx,
  { addressHash }: OptInRequest,
  { wording, now }: { wording: string; now: Date },
): Promise<boolean> {
  const rows =
    await sql`update opt_in_requests set state = 'asked', asked_at = ${now}, wording = ${wording}, phone = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'waiting' returning 1`.execute(
      db,
    )
  return rows.rows.length > 0
}

export async function postponeOptInRequest(
  { db, storeId }: StoreDb,
  { addressHash }: OptInRequest,
  until: Date,
): Promise<void> {
  await sql`update opt_in_requests set due_at = ${until}
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'waiting'`.execute(db)
}

/** Puts a request back that was provably not sent. */
export async function reopenOptInRequest(
  { db, storeId }: StoreDb,
  { addressHash, phone }: OptInRequest,
  dueAt: Date,
): Promise<void> {
  await sql`update opt_in_requests set state = 'waiting', asked_at = null, wording = null, phone = ${phone}, due_at = ${dueAt}
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'asked'`.execute(db)
}

/** Keeps a YES that came before the proof that the request was not sent, but as a reply to no question. */
export async function unaskAnswered(
  { db, storeId }: StoreDb,
  { addressHash }: OptInRequest,
  askedAt: Date,
): Promise<void> {
  await sql`update opt_in_requests set asked_at = null, wording = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'answered'
      and asked_at = ${askedAt}`.execute(db)
}

/** Records the provider's reply. A shopper's reply that came earlier stays. */
export async function closeOptInRequest(
  { db, storeId }: StoreDb,
  { addressHash }: OptInRequest,
  { state, providerId }: { state: 'asked' | 'failed'; providerId: string | null },
): Promise<void> {
  await sql`update opt_in_requests set state = ${state}, provider_id = ${providerId}, phone = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'asked'`.execute(db)
}

/** Drops a request for good: it must not be sent, or was provably not sent. */
export async function dropOptInRequest(
  { db, storeId }: StoreDb,
  { addressHash }: OptInRequest,
  from: 'waiting' | 'asked',
): Promise<void> {
  await sql`update opt_in_requests set state = 'dropped', asked_at = null, wording = null, phone = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = ${from}`.execute(db)
}
