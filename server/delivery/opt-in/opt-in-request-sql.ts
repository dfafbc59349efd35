import { type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'

// The question that confirms a consent by SMS: SQL and nothing else.

export interface OptInRequest {
  addressHash: Buffer
  /** E.164. */
  phone: string
  country: string | null
  createdAt: Date
}

/** Those waiting whose time has come, the oldest first. */
export async function dueOptInRequests({ db, storeId }: StoreDb, now: Date, limit: number): Promise<OptInRequest[]> {
  const rows = await sql<OptInRequest>`
    select address_hash as "addressHash", phone, country, created_at as "createdAt" from opt_in_requests
    where store_id = ${storeId} and channel = 'sms' and state = 'waiting' and due_at <= ${now} and phone is not null
    order by due_at limit ${limit}`.execute(db)
  return rows.rows
}

/** Whether somebody has bought with this number. */
export async function hasBoughtWith({ db, storeId }: StoreDb, phone: string): Promise<boolean> {
  const rows = await sql<{ hasBought: boolean }>`
    select exists (select 1 from shopper_keys k join facts f on f.store_id = k.store_id and f.shopper_id = k.shopper_id
      where k.store_id = ${storeId} and k.kind = 'phone' and k.value = ${phone} and f.kind = 'order'
        and f.payload ->> 'orderKind' = 'purchase' and f.payload #>> '{contact,phone}' = ${phone}) as "hasBought"`.execute(
    db,
  )
  return rows.rows[0]!.hasBought
}

/** false when somebody else has taken it. */
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

/** It was proven not to have left. */
export async function reopenOptInRequest(
  { db, storeId }: StoreDb,
  { addressHash, phone }: OptInRequest,
  dueAt: Date,
): Promise<void> {
  await sql`update opt_in_requests set state = 'waiting', asked_at = null, wording = null, phone = ${phone}, due_at = ${dueAt}
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'asked'`.execute(db)
}

/** A YES that came before the provider's proof that it took nothing stays, and answers no question of ours: nobody was asked. */
export async function unaskAnswered(
  { db, storeId }: StoreDb,
  { addressHash }: OptInRequest,
  askedAt: Date,
): Promise<void> {
  await sql`update opt_in_requests set asked_at = null, wording = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'answered'
      and asked_at = ${askedAt}`.execute(db)
}

/** An answer that came before the provider's own stays. */
export async function closeOptInRequest(
  { db, storeId }: StoreDb,
  { addressHash }: OptInRequest,
  { state, providerId }: { state: 'asked' | 'failed'; providerId: string | null },
): Promise<void> {
  await sql`update opt_in_requests set state = ${state}, provider_id = ${providerId}, phone = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = 'asked'`.execute(db)
}

/** It will never be put: not when its time came, or, once taken, proven not to have left. */
export async function dropOptInRequest(
  { db, storeId }: StoreDb,
  { addressHash }: OptInRequest,
  from: 'waiting' | 'asked',
): Promise<void> {
  await sql`update opt_in_requests set state = 'dropped', asked_at = null, wording = null, phone = null
    where store_id = ${storeId} and channel = 'sms' and address_hash = ${addressHash} and state = ${from}`.execute(db)
}
